// The picker of blocks: a click on the picture, or Enter, chooses a block in the list beside it;
// + takes the block around it. The form works without.
'use strict';

for (const map of document.querySelectorAll('.picker .overlay')) {
  const entry = (index) => document.getElementById('pick-' + index);
  const box = (item, name) => item.querySelector(`input[name=${name}]`);
  const leaves = [...map.querySelectorAll('a[data-block]')].filter((a) => entry(a.dataset.block));
  const said = document.getElementById('picked');
  // Of the block that has the focus, the block around it that is meant, by index.
  let meant;
  document.getElementById('keys').hidden = false;

  // inside reports whether a block is in another, or is it.
  const inside = (index, around) => {
    for (let item = entry(index); item; item = entry(item.dataset.parent)) if (item.dataset.index === around) return true;
    return false;
  };
  const draw = () => {
    const all = [...document.querySelectorAll('.picks li')];
    const ticked = (name) => all.filter((i) => box(i, name).checked).map((i) => i.dataset.index);
    const chosen = ticked('block'), muted = ticked('mute');
    for (const a of leaves) {
      const i = a.dataset.block;
      a.classList.toggle('chosen', chosen.some((c) => inside(i, c)));
      a.classList.toggle('muted', muted.some((c) => inside(i, c)));
      a.classList.toggle('on', meant !== undefined && inside(i, meant));
    }
    for (const item of all) item.classList.toggle('on', item.dataset.index === meant);
    said.value = chosen.length === 1 ? '1 block chosen' : chosen.length + ' blocks chosen';
  };
  const mean = (index) => {
    if (meant === index) return;
    meant = index;
    const item = entry(index), list = item.closest('.tree');
    list.scrollTop = item.offsetTop - list.clientHeight / 2;
    draw();
  };
  const toggle = (name) => {
    const b = box(entry(meant), name), other = box(entry(meant), name === 'block' ? 'mute' : 'block');
    b.checked = !b.checked;
    if (b.checked) other.checked = false;
    draw();
  };
  map.addEventListener('focusin', (e) => {
    const a = e.target.closest('a[data-block]');
    if (a && !(meant && inside(a.dataset.block, meant))) mean(a.dataset.block);
  });
  map.addEventListener('click', (e) => {
    const a = e.target.closest('a[data-block]');
    if (!a || !entry(a.dataset.block)) return;
    e.preventDefault();
    if (!(meant && inside(a.dataset.block, meant))) mean(a.dataset.block);
    toggle('block');
  });
  const keys = {
    Enter: () => toggle('block'),
    ' ': () => toggle('block'),
    m: () => toggle('mute'),
    '+': () => { const up = entry(meant).dataset.parent; if (entry(up)) mean(up); },
    '-': (leaf) => {
      let to = leaf; // the largest block that is less
      while (to !== meant && entry(to).dataset.parent !== meant) to = entry(to).dataset.parent;
      mean(to);
    },
  };
  map.addEventListener('keydown', (e) => {
    const a = document.activeElement.closest?.('a[data-block]');
    if (!a || !keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    if (!meant) mean(a.dataset.block);
    keys[e.key](a.dataset.block);
    e.preventDefault();
  });
  walk(map, leaves);
  document.querySelector('.picks').addEventListener('change', draw);
  draw();
}
