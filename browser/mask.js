// What stands in for functions of the browser, made to look like them. First of the
// scripts that run before a page's own; see scripts.go. Those after it use put, getter
// and native, which no page can reach.
const native = new WeakMap(); // what stands in -> how the browser would write it
const toString = Function.prototype.toString;

// put replaces a property's value, get or set by what make returns for the old one.
// Methods of object literals are no constructors, as native functions are none: make
// returns one of them.
const put = (owner, name, make, kind = 'value') => {
  const old = Object.getOwnPropertyDescriptor(owner, name);
  if (!old || !old[kind]) return;
  const ours = make(old[kind]);
  native.set(ours, `function ${kind === 'value' ? '' : kind + ' '}${name}() { [native code] }`);
  Object.defineProperty(owner, name, { ...old, [kind]: ours });
};

const getter = (owner, name, value) =>
  put(owner, name, (get) => Object.getOwnPropertyDescriptor({ get [name]() { return value(get.call(this)); } }, name).get, 'get');

put(Function.prototype, 'toString', () => ({ toString() { return native.get(this) ?? toString.call(this); } }).toString);
