// Sets the value of a field, in one task, so that no other script runs between the checks and the
// end except handlers of the field's own document. It runs in an isolated world, whose prototypes
// no page can change. An editing command inserts the text: it works on the document that it is
// called in, regardless of the focus, and fires the events of typing. origin is the field's, or
// empty for any.
function (value, origin) {
  const get = (owner, name, of) => Object.getOwnPropertyDescriptor(owner.prototype, name).get.call(of);
  const own = () => this.isConnected && get(Node, 'ownerDocument', this) === document;
  const kind = this instanceof HTMLInputElement ? HTMLInputElement : this instanceof HTMLTextAreaElement ? HTMLTextAreaElement : null;
  const held = () => String(kind ? get(kind, 'value', this) : get(Node, 'textContent', this));
  const focused = () => {
    const root = Node.prototype.getRootNode.call(this);
    return own() && get(root === document ? Document : ShadowRoot, 'activeElement', root) === this;
  };
  const send = (event) => EventTarget.prototype.dispatchEvent.call(this, event);
  const key = (type) => send(new KeyboardEvent(type, { key: 'Unidentified', bubbles: true, cancelable: true, composed: true }));
  if (!own()) return { gone: true };
  if (origin && self.origin !== origin) return { gone: true };
  if (kind === HTMLInputElement && get(kind, 'type', this) === 'file') throw new Error('a file is not filled in');
  const before = held();
  HTMLElement.prototype.focus.call(this);
  key('keydown');
  key('keypress');
  if (!own()) return { gone: true };
  const typed = kind === HTMLTextAreaElement || kind && /^(text|search|url|tel|email|password|number)$/.test(get(kind, 'type', this));
  if (focused() && (typed || !kind)) {
    if (kind) kind.prototype.select.call(this);
    else getSelection().selectAllChildren(this);
    // The command does not fire beforeinput, as typing does.
    const command = value ? 'insertText' : 'delete';
    const asks = { inputType: value ? 'insertText' : 'deleteContentBackward', data: value || null, bubbles: true, cancelable: true, composed: true };
    if (send(new InputEvent('beforeinput', asks)) && focused()) Document.prototype.execCommand.call(document, command, false, value);
  } else if (kind && !get(kind, 'disabled', this) && !get(kind, 'readOnly', this)) {
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(this, value);
    send(new InputEvent('input', { inputType: 'insertReplacementText', bubbles: true, composed: true }));
    send(new Event('change', { bubbles: true }));
  }
  key('keyup');
  return { before, held: held(), focused: focused() };
}
