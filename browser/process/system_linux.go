package process

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// ownGroup makes the command the leader of a new process group, so that a signal reaches all of
// Chrome's processes. Parent death signals are not used: they fire when the thread ends that
// started the command, and Chrome exits when its pipe is closed.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to all processes of a group.
func signalGroup(group int, sig syscall.Signal) { _ = syscall.Kill(-group, sig) }

// groupMembers returns the processes of a group, and their resident memory in bytes; shared pages
// count several times.
func groupMembers(group int) (pids []int, resident int64) {
	eachProcess(func(pid int) {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return
		}
		// The name in parentheses may contain any characters; fields count from behind it:
		// state, ppid, pgrp (proc_pid_stat(5) fields 3 to 5), rss is field 24.
		i := bytes.LastIndexByte(b, ')')
		if i < 0 {
			return
		}
		f := bytes.Fields(b[i+1:])
		if len(f) < 22 || string(f[0]) == "Z" {
			return
		}
		if g, err := strconv.Atoi(string(f[2])); err != nil || g != group {
			return
		}
		pids = append(pids, pid)
		if rss, err := strconv.ParseInt(string(f[21]), 10, 64); err == nil {
			resident += rss * int64(os.Getpagesize())
		}
	})
	return pids, resident
}

// reapGroup reaps processes of the group that have become children of this process, as orphans do
// if it is process 1, as in a container.
func reapGroup(group int) {
	for {
		pid, err := syscall.Wait4(-group, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if pid <= 0 || err != nil {
			return
		}
	}
}

func eachProcess(f func(pid int)) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			f(pid)
		}
	}
}

// lockProfile marks a profile as in use until this process ends or the file is closed. The kernel
// drops the lock however the process ends.
func lockProfile(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil { // a locked file still exists
		var at, is os.FileInfo
		if at, err = f.Stat(); err == nil {
			if is, err = os.Stat(f.Name()); err == nil && !os.SameFile(at, is) {
				err = os.ErrNotExist
			}
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// killUsers kills the processes on a profile, which their command lines name, until none runs or
// the limit has passed, and reports whether none runs. After a kill it checks twice: a process in
// fork or exec has no command line yet.
func killUsers(profile string, limit time.Duration) bool {
	want := []byte(userDataDir + profile)
	gone := true // at the last check
	for end := time.Now().Add(limit); ; {
		found := false
		eachProcess(func(pid int) {
			line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			if err != nil || pid == os.Getpid() {
				return
			}
			for arg := range bytes.SplitSeq(line, []byte{0}) {
				if bytes.Equal(arg, want) {
					if err := syscall.Kill(pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
						found = true
					}
					return
				}
			}
		})
		if !found && gone {
			return true
		}
		gone = !found
		if time.Now().After(end) {
			return !found
		}
		time.Sleep(5 * time.Millisecond) // nothing signals the end of a process that is not a child
	}
}
