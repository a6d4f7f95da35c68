// See canvas.go. It is called on a canvas, in an isolated world, where methods replaced by the page
// have no effect.
function (maxBytes, maxPixels) {
  const { width, height } = this;
  if (width === 0 || height === 0) return {};
  if (width * height > maxPixels) return { left: 'large' };
  try {
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(this, 0, 0);
    const dots = new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
    const first = dots[0];
    const empty = (first === 0 || first === 0xff000000) && dots.every((dot) => dot === first);
    // WebGL's buffer is empty, or black, after it was shown. getContext('2d') creates a context for
    // a canvas without one, and returns null for one of a different kind.
    if (empty && !this.getContext('2d')) return { left: 'gone' };
    if (empty && first === 0) return {};
    const data = this.toDataURL('image/png').split(',')[1] ?? '';
    return data.length * 3 / 4 > maxBytes + 2 ? { left: 'large' } : { data };
  } catch (error) {
    return { left: error.name === 'SecurityError' ? 'tainted' : 'gone' };
  }
}
