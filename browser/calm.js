// What would stop the page or do away with it, made to do nothing. Runs before
// the page's own scripts, in every frame.
(() => {
  'use strict';
  const { print, close } = { print() {}, close() {} };
  window.print = print;
  window.close = close;
})();
