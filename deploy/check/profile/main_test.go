package main

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

func stored(t *testing.T) specs.LinuxSeccomp {
	t.Helper()
	b, err := os.ReadFile("../../seccomp.json")
	if err != nil {
		t.Fatal(err)
	}
	var p specs.LinuxSeccomp
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheStoredProfileIsTheOneWritten(t *testing.T) {
	b, err := json.Marshal(profile())
	if err != nil {
		t.Fatal(err)
	}
	var want specs.LinuxSeccomp
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(stored(t), want) {
		t.Error("deploy/seccomp.json is not what ./profile writes; in deploy/check: go run ./profile >../seccomp.json")
	}
}

// allowed reports whether a profile allows a call with the arguments args.
func allowed(p specs.LinuxSeccomp, name string, args ...uint64) bool {
	for _, s := range p.Syscalls {
		if !slices.Contains(s.Names, name) {
			continue
		}
		match := true
		for _, a := range s.Args {
			v := uint64(0)
			if int(a.Index) < len(args) {
				v = args[a.Index]
			}
			switch a.Op {
			case specs.OpMaskedEqual:
				match = match && v&a.Value == a.ValueTwo
			case specs.OpEqualTo:
				match = match && v == a.Value
			case specs.OpNotEqual:
				match = match && v != a.Value
			default:
				match = false
			}
		}
		if match && s.Action == specs.ActAllow {
			return true
		}
	}
	return p.DefaultAction == specs.ActAllow
}

func TestTheProfileOpensChromesSandboxAndNoMore(t *testing.T) {
	p := stored(t)
	for _, c := range []struct {
		name string
		args []uint64
		want bool
	}{
		{"read", nil, true},
		{"chroot", nil, true},
		{"clone", []uint64{uint64(unix.SIGCHLD)}, true},
		{"clone", []uint64{unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET}, true},
		{"unshare", []uint64{unix.CLONE_NEWUSER}, true},
		{"clone", []uint64{unix.CLONE_NEWUSER | unix.CLONE_NEWNS}, false},
		{"unshare", []uint64{unix.CLONE_NEWNS}, false},
		{"unshare", []uint64{unix.CLONE_NEWIPC}, false},
		{"unshare", []uint64{unix.CLONE_NEWUTS}, false},
		{"unshare", []uint64{unix.CLONE_NEWCGROUP}, false},
		{"clone3", nil, false},
		{"setns", nil, false},
		{"mount", nil, false},
		{"pivot_root", nil, false},
		{"bpf", nil, false},
		{"keyctl", nil, false},
		{"init_module", nil, false},
		{"open_by_handle_at", nil, false},
		{"io_uring_setup", nil, false},
		{"userfaultfd", nil, false},
	} {
		if got := allowed(p, c.name, c.args...); got != c.want {
			t.Errorf("%s%#x: allowed %v, want %v", c.name, c.args, got, c.want)
		}
	}
}
