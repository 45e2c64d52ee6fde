// SPDX-License-Identifier: BSD-2-Clause
(function () {
  'use strict';
  var rows = Array.prototype.slice.call(document.querySelectorAll('[data-v]'));
  var groups = Array.prototype.slice.call(document.querySelectorAll('.group'));
  var buttons = Array.prototype.slice.call(document.querySelectorAll('nav button'));
  var words = document.getElementById('words');
  var none = document.getElementById('none');
  var verdict = '';
  function show() {
    var want = words.value.toLowerCase().split(/\s+/);
    var any = false;
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = (verdict !== '' && row.dataset.v !== verdict) ||
        !want.every(function (w) { return text.indexOf(w) >= 0; });
      any = any || !row.hidden;
    });
    groups.forEach(function (group) { group.hidden = !group.querySelector('[data-v]:not([hidden])'); });
    none.hidden = any;
  }
  buttons.forEach(function (button) {
    button.addEventListener('click', function () {
      verdict = button.dataset.want;
      buttons.forEach(function (b) { b.setAttribute('aria-pressed', String(b === button)); });
      show();
    });
  });
  words.addEventListener('input', show);
  function reveal() {
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.hidden) { words.value = ''; buttons[0].click(); }
    if (target.tagName === 'DETAILS') target.open = true;
    target.scrollIntoView();
  }
  window.addEventListener('hashchange', reveal);
  if (location.hash) reveal();
}());
