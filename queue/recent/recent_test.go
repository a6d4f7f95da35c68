package recent

import "testing"

func TestWhatIsInUseIsRemembered(t *testing.T) {
	m := Map[int, string]{Max: 10}
	if _, ok := m.Get(1); ok || m.Has(1) || m.Len() != 0 {
		t.Error("an empty map has something")
	}
	for i := range 35 {
		m.Put(i, "x")
		if m.Put(7, "still in use"); m.Len() > 20 {
			t.Fatalf("%d entries after %d", m.Len(), i+1)
		}
	}
	if v, ok := m.Get(7); !ok || v != "still in use" {
		t.Errorf("7 is %q, %v", v, ok)
	}
	if m.Has(6) || !m.Has(34) || !m.Has(28) {
		t.Error("it does not forget the oldest")
	}
	n := 0
	for k, v := range m.All {
		if got, ok := m.Get(k); !ok || k == 7 && got != v {
			t.Errorf("All yields %d, %q; Get %q, %v", k, v, got, ok)
		}
		n++
	}
	if n != m.Len() {
		t.Errorf("All yields %d entries, want %d", n, m.Len())
	}
	for range m.All {
		break
	}
}

func TestAnEntryThatIsPutAgainMakesNoRoom(t *testing.T) {
	m := Map[int, int]{Max: 2}
	m.Put(1, 1)
	m.Put(2, 2)
	m.Put(3, 3)
	m.Put(4, 4)
	for i := range 5 {
		m.Put(4, i)
	}
	if !m.Has(1) || !m.Has(2) {
		t.Error("entries are forgotten though no other came")
	}
}
