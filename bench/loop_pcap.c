/* SPDX-License-Identifier: BSD-2-Clause */
/* The bare loop over a capture by libpcap, which nothing that uses libpcap can beat. */
#include <pcap/pcap.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char err[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *hdr = NULL;
    const u_char *bytes = NULL;
    unsigned long frames = 0, sum = 0;
    pcap_t *const p = argc == 2 ? pcap_open_offline(argv[1], err) : NULL;
    if (p == NULL) {
        fputs("usage: loop_pcap FILE\n", stderr);
        return 2;
    }
    while (pcap_next_ex(p, &hdr, &bytes) == 1) {
        frames++;
        sum += bytes[0] + bytes[hdr->caplen - 1];
    }
    pcap_close(p);
    printf("%lu frames, %lu\n", frames, sum);
    return 0;
}
