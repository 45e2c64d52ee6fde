-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Wireshark dissector of MRC (Multipath Reliable Connection) 1.0. To install it copy this one file
-- into the folder of Wireshark's personal Lua plugins (Help > About > Folders), or name it:
--     tshark -X lua_script:mrc.lua -r FILE
-- For Wireshark 3.6 and newer.
--
-- mrc.lua is put together of dissectors/lua/*.lua and the field list made of spec/wire.yaml; change
-- those and run `make dissectors`.

-- The C plugin registers the same protocol: it is faster and may stay alone.
for _, name in ipairs(Dissector.list()) do
    if name == "mrc" then
        return
    end
end

local mrc = Proto("mrc", "Multipath Reliable Connection")

-- @generated
