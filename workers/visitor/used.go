package visitor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// UsedMemory returns the bytes in use by this process and its descendants, the browser among them,
// without what they share, such as the text of programs; 0 if unknown, as outside of Linux.
func UsedMemory() int64 {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may contain any character.
		head, _, _ := strings.Cut(string(b), " ")
		tail := string(b[strings.LastIndexByte(string(b), ')')+1:])
		var state string
		var parent int
		if n, _ := fmt.Sscan(tail, &state, &parent); n != 2 {
			continue
		}
		if pid, err := strconv.Atoi(head); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	used := int64(0)
	for left := []int{os.Getpid()}; len(left) > 0; {
		pid := left[0]
		left = append(left[1:], children[pid]...)
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		var size, resident, shared int64
		if n, _ := fmt.Sscan(string(b), &size, &resident, &shared); n == 3 {
			used += (resident - shared) * int64(os.Getpagesize())
		}
	}
	return used
}
