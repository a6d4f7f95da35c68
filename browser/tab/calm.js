// What would stop the page or do away with it, made to do nothing.
put(window, 'print', () => ({ print() {} }).print);
put(window, 'close', () => ({ close() {} }).close);
