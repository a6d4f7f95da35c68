// Replaced functions of the browser, made to appear native. First of the scripts that run before a
// page's own; see scripts.go. The later ones use put, putClass, getter, native and apply, which no
// page can reach. Nothing here is looked up when a page calls it: the page may have replaced it,
// and would notice.
const { apply, construct, ownKeys, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
const { captureStackTrace } = Error;
const { indexOf, startsWith, slice } = String.prototype;

// native maps a replacement to its native source text. All windows of a tab that can reach each
// other share it: a page may apply the toString of one window to a function of a different one. A
// new window requests it from its parent by an event whose name no page knows.
const native = (() => {
  const { get, set, has } = WeakMap.prototype;
  const ask = { native: undefined };
  const alone = typeof window === 'undefined'; // in a worker
  if (!alone && parent !== window) {
    try {
      EventTarget.prototype.dispatchEvent.call(parent, new CustomEvent(secret, { detail: ask }));
    } catch { /* of another origin */ }
  }
  const map = ask.native ?? Object.defineProperties(new WeakMap(), { get: { value: get }, set: { value: set }, has: { value: has } });
  if (!alone) addEventListener(secret, (e) => { e.detail.native = map; });
  return map;
})();

// isOurs reports whether a line of a stack belongs to these scripts: they have no name.
// Those of a page have one, or begin with "eval at".
const isOurs = (line) => {
  const i = apply(indexOf, line, ['<anonymous>:']);
  return i > 0 && (line[i - 1] === '(' || i === 7);
};

const isBuiltin = (line) => apply(indexOf, line, ['(<anonymous>)']) > 0;

// clean removes replacements from an error's stack. If the error comes from a call below one, the
// stack is captured again, without the replacement and its callees.
const clean = (error, ours) => {
  if (typeof error !== 'object' || error === null || getOwnPropertyDescriptor(Error, 'prepareStackTrace')) return;
  const property = getOwnPropertyDescriptor(error, 'stack');
  const stack = property && (property.get && property.get === stackOf ? apply(stackOf, error, []) : property.value);
  if (typeof stack !== 'string') return;
  let head = '', top = '', rest = '', seen = 0, mine = 0, first = '';
  for (let at = 0; at <= stack.length;) {
    let end = apply(indexOf, stack, ['\n', at]);
    if (end < 0) end = stack.length;
    const line = apply(slice, stack, [at, end]);
    at = end + 1;
    if (!apply(startsWith, line, ['    at '])) {
      if (seen === 0) head += (head && '\n') + line;
      else rest += '\n' + line;
      continue;
    }
    seen++;
    if (isOurs(line)) {
      if (seen <= 2 && mine === 0 && (seen === 1 || isBuiltin(first))) top = seen === 2 ? '\n' + first : '\n';
      mine++;
      continue;
    }
    if (seen === 1) first = line;
    rest += '\n' + line;
  }
  if (mine === 0) return;
  if (top === '') {
    error.stack = head + rest;
    return;
  }
  captureStackTrace(error, ours);
  if (top === '\n') return;
  // A builtin that threw has a line in the stack itself.
  const taken = property.get ? apply(stackOf, error, []) : error.stack;
  const limit = Error.stackTraceLimit;
  let out = head + top, kept = 1;
  for (let at = head.length + 1; at <= taken.length && kept < limit; kept++) {
    let end = apply(indexOf, taken, ['\n', at]);
    if (end < 0) end = taken.length;
    out += '\n' + apply(slice, taken, [at, end]);
    at = end + 1;
  }
  error.stack = out;
};
const stackOf = getOwnPropertyDescriptor(new Error(), 'stack').get;

// like gives a replacement the properties of the original.
const like = (ours, real, text) => {
  defineProperty(ours, 'length', { value: real.length });
  defineProperty(ours, 'name', { value: real.name });
  native.set(ours, text);
};

// put replaces a property's value, get or set by the result of make for the old one. Native
// functions are not constructors, and neither are methods of object literals: make returns such a
// method. The old function passed to make removes the replacement from the errors on their way to
// the page.
const put = (owner, name, make, kind = 'value') => {
  const old = getOwnPropertyDescriptor(owner, name);
  if (!old || !old[kind]) return;
  const real = old[kind];
  const ours = make({ real(...args) {
    try {
      return apply(real, this, args);
    } catch (e) {
      clean(e, ours);
      throw e;
    }
  } }.real);
  like(ours, real, `function ${kind === 'value' ? '' : kind + ' '}${name}() { [native code] }`);
  defineProperty(owner, name, { ...old, [kind]: ours });
};

// putClass replaces a constructor by one that first calls called, and then, with the object and its
// arguments, made. A proxy would be detectable, for
// instance by a cycle of prototypes that Chrome refuses.
const putClass = (owner, name, called, made) => {
  const old = getOwnPropertyDescriptor(owner, name);
  const real = old?.value;
  if (!real) return;
  const ours = [function (...args) {
    try {
      if (!new.target) return apply(real, this, args); // throws
      called?.();
      const object = construct(real, args, new.target);
      made?.(object, args);
      return object;
    } catch (e) {
      clean(e, ours);
      throw e;
    }
  }][0];
  like(ours, real, `function ${name}() { [native code] }`);
  for (const key of ownKeys(real)) {
    if (key !== 'length' && key !== 'name') defineProperty(ours, key, getOwnPropertyDescriptor(real, key));
  }
  setPrototypeOf(ours, getPrototypeOf(real));
  defineProperty(real.prototype, 'constructor', { ...getOwnPropertyDescriptor(real.prototype, 'constructor'), value: ours });
  defineProperty(owner, name, { ...old, value: ours });
};

const getter = (owner, name, value) =>
  put(owner, name, (get) => getOwnPropertyDescriptor({ get [name]() { return value(apply(get, this, [])); } }, name).get, 'get');

put(Function.prototype, 'toString', (get) => ({ toString() { return native.get(this) ?? apply(get, this, []); } }).toString);
