package browser

import (
	"strings"
	"testing"
)

// Chrome hides addresses of the machine from pages behind multicast DNS names, which it would have
// to announce. Both are off: there are no candidates at all.
func TestWebRTCTellsPagesNoAddressOfTheMachine(t *testing.T) {
	t.Parallel()
	srv := site(t, map[string]string{"/": `<!doctype html><title>wait</title><p id=p><script>
const c = new RTCPeerConnection();
c.createDataChannel('d');
c.onicecandidate = e => { p.append(e.candidate ? 'candidate ' + e.candidate.candidate + '; ' : 'that is all') };
c.createOffer().then(o => c.setLocalDescription(o)).then(() => { document.title = 'gathers' });
</script>`})
	s := render(t, pool(t), srv.URL+"/")
	text := ""
	for i := range s.Nodes {
		text += s.Nodes[i].Value
	}
	if s.Title != "gathers" || !strings.Contains(text, "that is all") {
		t.Errorf("title %q, text %q: no candidates were looked for", s.Title, text)
	}
	if strings.Contains(text, "candidate:") {
		t.Errorf("a page is told %q", text)
	}
}
