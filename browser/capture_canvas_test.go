package browser

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"strings"
	"testing"

	"plat/browser/resources"
	"plat/plat"
)

// drawnPage has canvases of all kinds, each with its kind as its id.
const drawnPage = `<!doctype html>
<canvas id=plain width=40 height=30></canvas><canvas id=transparent></canvas><canvas id=untouched></canvas><canvas id=hidden style="visibility: hidden"></canvas>
<canvas id=none style="display: none"></canvas><canvas id=kept></canvas><canvas id=shown></canvas><canvas id=opaque></canvas><canvas id=off></canvas><canvas id=bitmap></canvas>
<canvas id=huge width=9000 height=9000 style="width: 9px; height: 9px"></canvas><canvas id=tainted></canvas><canvas id=empty width=0 height=0></canvas>
<div id=host></div><iframe src=/frame></iframe><iframe src=http://b.test:PORT/frame></iframe><img id=i src=http://b.test:PORT/i.gif>`

// drawAll draws into them, and then breaks the methods of canvases.
const drawAll = `<script>
const draw = (c) => { const x = c.getContext('2d'); x.fillStyle = 'red'; x.fillRect(0, 0, 20, 30); return x };
const $ = (id) => document.getElementById(id);
const gl = (id, options) => { const x = $(id).getContext('webgl', options); x.clearColor(0, 1, 0, 1); x.clear(x.COLOR_BUFFER_BIT) };
addEventListener('load', async () => {
  for (const id of ['plain', 'hidden', 'none', 'huge']) draw($(id));
  $('transparent').getContext('2d');
  gl('kept', { preserveDrawingBuffer: true }); gl('shown'); gl('opaque', { alpha: false });
  draw($('off').transferControlToOffscreen());
  $('bitmap').getContext('bitmaprenderer').transferFromImageBitmap(await createImageBitmap($('plain')));
  draw($('tainted')).drawImage(i, 0, 0);
  const shadow = host.attachShadow({ mode: 'closed' });
  shadow.innerHTML = '<canvas id=closed></canvas>';
  draw(shadow.firstChild);
  for (const name of ['toDataURL', 'toBlob', 'getContext', 'width']) Object.defineProperty(HTMLCanvasElement.prototype, name, { value: () => { throw new SecurityError } });
  $('plain').toDataURL = () => 'data:,lies';
});
</script>`

func TestCanvasesAreTakenAsPictures(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"/":      drawnPage + drawAll,
		"/frame": `<!doctype html><canvas id=framed></canvas><script>const x = document.querySelector('canvas').getContext('2d'); x.fillStyle = 'red'; x.fillRect(0, 0, 20, 30)</script>`,
		"/i.gif": dot,
	}
	_, port := ported(t, pages)
	bothBrowsers(t, func(t *testing.T, p *Pool) {
		s, m := evidence(t, p, "http://a.test:"+port+"/", plat.AllResources)
		got := map[string]string{}
		for i := range m {
			place, ok := plat.ParseCanvasPlace(m[i].URL)
			if !ok {
				continue
			}
			n := elementAt(s, place.Path)
			if n == nil || n.Name != "canvas" || m[i].Type != "image/png" {
				t.Errorf("%+v leads to %+v", m[i], n)
				continue
			}
			id, _ := n.Attr("id")
			if m[i].Left != "" {
				got[id] += string(m[i].Left)
				continue
			}
			picture, err := png.Decode(strings.NewReader(dataOf(s, m[i].URL)))
			if err != nil {
				t.Errorf("%s: %v", id, err)
				continue
			}
			c := color.RGBAModel.Convert(picture.At(5, 5)).(color.RGBA)
			got[id] += fmt.Sprintf("%dx%d %02x%02x%02x ", picture.Bounds().Dx(), picture.Bounds().Dy(), c.R, c.G, c.B)
		}
		want := map[string]string{
			"plain": "40x30 ff0000 ", "kept": "300x150 00ff00 ", "off": "300x150 ff0000 ", "bitmap": "40x30 ff0000 ", "closed": "300x150 ff0000 ",
			"framed": "300x150 ff0000 300x150 ff0000 ", "shown": "gone", "opaque": "gone", "huge": "large", "tainted": "tainted",
		}
		if !maps.Equal(got, want) {
			t.Errorf("canvases are\n%q, want\n%q", got, want)
		}
		_, css := evidence(t, p, "http://a.test:"+port+"/", plat.StyleResources)
		for i := range css {
			if _, ok := plat.ParseCanvasPlace(css[i].URL); ok {
				t.Errorf("%s was taken, which is no style", css[i].URL)
			}
		}
	})
}

// It runs alone: on a busy machine canvases are left out because they come late.
func TestCanvasesTakeNoMoreThanTheLimits(t *testing.T) {
	// Noise, which does not compress: 1 MB each, up to the limit in all; then small ones.
	srv := site(t, map[string]string{"/": `<!doctype html><body><script>
let seed = 1;
for (let n = 0; n < 320; n++) {
  const side = n === 0 ? 1300 : n < 15 ? 560 : 2;
  const c = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const x = c.getContext('2d'), data = x.createImageData(side, side), words = new Uint32Array(data.data.buffer);
  for (let i = 0; i < words.length; i++) words[i] = 0xff000000 | (seed = Math.imul(seed, 1664525) + 1013904223) >>> 8;
  x.putImageData(data, 0, 0);
  document.body.append(c);
}
</script>`})
	_, m := evidenceInTime(t, pool(t), srv.URL+"/", plat.AllResources)
	left, kept, size := map[plat.OmitReason]int{}, 0, int64(0)
	for i := range m {
		if _, ok := plat.ParseCanvasPlace(m[i].URL); !ok {
			continue
		}
		left[m[i].Left]++
		if m[i].Left == "" {
			kept++
			size += m[i].Size
		}
	}
	t.Logf("%d kept, %d bytes, left out: %v", kept, size, left)
	if size > resources.MaxCanvasBytes || size < resources.MaxCanvasBytes*8/10 || kept > resources.MaxCanvases || left[plat.OmitFull] < 320-resources.MaxCanvases {
		t.Errorf("%d canvases with %d bytes are kept, left out: %v", kept, size, left)
	}
}

func TestPostersOfVideosAreTaken(t *testing.T) {
	t.Parallel()
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/poster.gif" {
			w.Header().Set("Content-Type", "image/gif")
			fmt.Fprint(w, dot)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><div style="height: 4000px"></div><video poster=/poster.gif></video>`)
	}))
	s, m := evidence(t, pool(t), srv.URL+"/", plat.AllResources)
	if r, ok := m.Find(srv.URL + "/poster.gif"); !ok || !bytes.Equal([]byte(dataOf(s, r.URL)), []byte(dot)) {
		t.Errorf("the poster is %+v", r)
	}
}
