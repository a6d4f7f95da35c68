// What pages can do beyond links and forms: arrow keys walk over blocks and over the
// bars of a time line, Home and End go to the first and the last; the block under
// the pointer or the focus is marked in the tree and told beside it; commands can be copied.
'use strict';

// walk moves the focus among items of a container; other gets the keys that do not.
const walk = (container, items, other) => container.addEventListener('keydown', (e) => {
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: items.length - 1 }[e.key];
  if (at < 0) return;
  if (items[to]) {
    items[to].focus();
    e.preventDefault();
  } else other?.(e, items[at]);
});

for (const line of document.querySelectorAll('.timeline svg, .lanes svg')) walk(line, [...line.querySelectorAll('a')]);

for (const map of document.querySelectorAll('.map .overlay')) {
  const card = document.getElementById('card');
  const entry = (block) => document.getElementById('b' + block.dataset.block);
  let shown;
  const show = (block) => {
    if (shown === block) return;
    for (const e of [shown, shown && entry(shown)]) e?.classList.remove('on');
    shown = block;
    block.classList.add('on');
    const item = entry(block);
    if (!item) return;
    item.classList.add('on');
    card.replaceChildren(...[...item.childNodes].filter((n) => n.nodeName !== 'UL' && !n.id).map((n) => n.cloneNode(true)));
  };
  for (const event of ['pointerover', 'focusin']) {
    map.addEventListener(event, (e) => { const b = e.target.closest('a[data-block]'); if (b) show(b); });
  }
  walk(map, [...map.querySelectorAll('a[data-block]')], (e, block) => {
    const link = e.key === 'Enter' && entry(block)?.querySelector('a');
    if (link) { location.href = link.href; e.preventDefault(); }
  });
}

// Browsers let pages copy on https and on this machine only.
if (navigator.clipboard) {
  for (const command of document.querySelectorAll('code.command')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'Copied';
    });
    command.after(' ', button);
  }
}
