package browser

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// The checks run against Chrome with a window, if there is a display: a check that it fails does
// not detect automation. Run it with
//
//	PLAT_HEADED=/usr/lib/chromium/chromium xvfb-run go test ./browser -run Headed -v
func TestHeadedChromePassesTheBattery(t *testing.T) {
	t.Parallel()
	chrome := os.Getenv("PLAT_HEADED")
	if chrome == "" {
		t.Skip("skipped: PLAT_HEADED names no Chrome that can open a window")
	}
	b := newBattery(t, npm(t))
	cmd := exec.Command(chrome, "--no-sandbox", "--no-first-run", "--disable-sync", "--disable-background-networking", "--disable-component-update",
		"--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=127.0.0.1", "--user-data-dir="+t.TempDir(), b.URL+"/")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	}()
	// The first is due to WebGL without a graphics card, where the package compares a window
	// with a worker.
	known := map[string]bool{"fpscanner: hasMismatchWebGLInWorker": true, "fpscanner: hasUTCTimezone": true}
	select {
	case found := <-b.found:
		for _, f := range found {
			if key := f.Group + ": " + f.Name; !f.OK && !known[key] {
				t.Errorf("%s: %s", key, f.Got)
			}
		}
		t.Logf("%d checks", len(found))
	case <-time.After(time.Minute):
		t.Fatal("the checks have not come to an end")
	}
}
