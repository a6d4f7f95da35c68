package browser

import (
	"bytes"
	"os"
	"strconv"
)

// browsersIn are the processes whose profile lies in a directory.
func browsersIn(dir string) (pids []int) {
	eachProcess(func(pid int) {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && bytes.Contains(line, []byte("--user-data-dir="+dir)) {
			pids = append(pids, pid)
		}
	})
	return pids
}
