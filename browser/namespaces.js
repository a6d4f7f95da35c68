// See namespaces.go. The elements of the document whose namespace its markup does not tell: their ranks among all elements, and
// the declarations that tell it.
(() => {
  const xmlns = 'http://www.w3.org/2000/xmlns/';
  const all = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
  const missing = [];
  const bound = new Map(); // elements to the namespaces of prefixes in them
  let count = 0;
  for (let e = all.nextNode(), i = 0; e && i < 50000; e = all.nextNode(), i++) {
    count++;
    let own = bound.get(e.parentNode) ?? { '': '', xml: 'http://www.w3.org/XML/1998/namespace', xmlns };
    const declare = (prefix, space) => { own = { ...own, [prefix]: space }; };
    for (const a of e.attributes) if (a.namespaceURI === xmlns) declare(a.prefix ? a.localName : '', a.value);
    if (i === 0 && e.localName === 'html') declare('', e.namespaceURI ?? ''); // Chrome's viewer makes it, without a declaration
    const need = (prefix, space) => {
      if (own[prefix] === space || missing.length >= 2000) return;
      declare(prefix, space);
      missing.push({ rank: i, name: prefix ? 'xmlns:' + prefix : 'xmlns', value: space });
    };
    need(e.prefix ?? '', e.namespaceURI ?? '');
    for (const a of e.attributes) if (a.prefix && a.namespaceURI && a.namespaceURI !== xmlns) need(a.prefix, a.namespaceURI);
    bound.set(e, own);
  }
  return { count, missing };
})()
