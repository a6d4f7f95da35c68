// Runs before a page's own scripts where Request.Clock or Request.Seed is set: the
// clock is shift ms ahead, and chance is a sequence that begins with seed.
const moveClock = (shift) => {
  const Real = Date;
  const now = Real.now;
  const ahead = () => now() + shift;
  Real.now = ahead;
  const Moved = new Proxy(Real, {
    construct: (target, args, as) => Reflect.construct(target, args.length ? args : [ahead()], as),
    apply: () => new Real(ahead()).toString(),
  });
  Real.prototype.constructor = Moved;
  globalThis.Date = Moved;

  // What formats the time now without being given one.
  const proto = Intl.DateTimeFormat.prototype;
  const format = Object.getOwnPropertyDescriptor(proto, 'format');
  Object.defineProperty(proto, 'format', { ...format, get() {
    const bound = format.get.call(this);
    return (date) => bound(date === undefined ? ahead() : date);
  } });
  const { formatToParts } = proto;
  proto.formatToParts = function (date) { return formatToParts.call(this, date === undefined ? ahead() : date); };

  if (globalThis.Temporal) {
    const { Now } = Temporal;
    const { instant } = Now;
    const zone = Now.timeZoneId.bind(Now);
    Now.instant = () => instant.call(Now).add({ milliseconds: shift });
    Now.zonedDateTimeISO = (in_ = zone()) => Now.instant().toZonedDateTimeISO(in_);
    Now.plainDateTimeISO = (in_ = zone()) => Now.zonedDateTimeISO(in_).toPlainDateTime();
    Now.plainDateISO = (in_ = zone()) => Now.zonedDateTimeISO(in_).toPlainDate();
    Now.plainTimeISO = (in_ = zone()) => Now.zonedDateTimeISO(in_).toPlainTime();
  }

  // Without a Last-Modified header it is the time now.
  const modified = Object.getOwnPropertyDescriptor(Document.prototype, 'lastModified');
  Object.defineProperty(Document.prototype, 'lastModified', { ...modified, get() {
    const text = modified.get.call(this);
    const at = new Real(text).getTime();
    if (Math.abs(now() - at) > 60e3) return text;
    const t = new Real(at + shift);
    const two = (n) => String(n).padStart(2, '0');
    return `${two(t.getMonth() + 1)}/${two(t.getDate())}/${t.getFullYear()} ${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}`;
  } });
};

const moveChance = (seed) => {
  let state = seed >>> 0;
  const next = () => { // mulberry32
    state = (state + 0x6D2B79F5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  Math.random = () => next() / 4294967296;
  const proto = Crypto.prototype;
  const { getRandomValues } = proto;
  proto.getRandomValues = function (into) {
    getRandomValues.call(this, into); // whose errors are the page's
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = next();
    return into;
  };
  if (proto.randomUUID) {
    proto.randomUUID = () => {
      const hex = () => next().toString(16).padStart(8, '0');
      const h = hex() + hex() + hex() + hex();
      return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
    };
  }
};
