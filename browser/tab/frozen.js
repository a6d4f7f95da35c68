// Reproducible random numbers. A generator of 32-bit numbers (splitmix32) is behind all random
// functions.
let state = seed >>> 0;
const next = () => {
  state = (state + 0x9e3779b9) | 0;
  let z = state ^ (state >>> 16);
  z = Math.imul(z, 0x21f0aaad);
  z ^= z >>> 15;
  z = Math.imul(z, 0x735a2d97);
  return (z ^ (z >>> 15)) >>> 0;
};
put(Math, 'random', () => ({ random() { return (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53; } }).random);
put(Crypto.prototype, 'getRandomValues', (old) => ({ getRandomValues(array) {
  apply(old, this, [array]); // throws on invalid arguments
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  for (let i = 0; i < bytes.length; i++) bytes[i] = next();
  return array;
} }).getRandomValues);
if (Crypto.prototype.randomUUID) {
  put(Crypto.prototype, 'randomUUID', (old) => ({ randomUUID() {
    apply(old, this, []);
    const hex = [next(), next(), next(), next()].map((n) => n.toString(16).padStart(8, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${'89ab'[next() & 3]}${hex.slice(17, 20)}-${hex.slice(20)}`;
  } }).randomUUID);
}
