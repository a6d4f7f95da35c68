// Functions that would block or close the page do nothing.
put(window, 'print', () => ({ print() {} }).print);
put(window, 'close', () => ({ close() {} }).close);
