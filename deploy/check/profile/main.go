// Profile writes the seccomp profile of plat's containers, derived from
// Docker's default profile:
//
//	go run ./profile >../seccomp.json
//
// Chrome's sandbox puts renderers into their own user, PID and network
// namespaces and an empty root. Docker's profile forbids that without
// CAP_SYS_ADMIN, so most images start Chrome with --no-sandbox. This profile
// allows exactly that.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

// closed are the namespaces that stay forbidden: Chrome does not need them, and
// a mount namespace would expose much of the kernel to processes with a user
// namespace.
const closed = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWCGROUP

// arches are the architectures that images are built for.
var arches = []string{"amd64", "arm64"}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	if err := out.Encode(profile()); err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(1)
	}
}

// profile is Docker's profile resolved for a container without capabilities,
// with Chrome's sandbox allowed. All conditions are resolved because containerd
// reads a Kubernetes profile as defined by the OCI runtime specification: it
// ignores Docker's "includes" and "excludes" and would apply conditional rules
// always.
func profile() specs.LinuxSeccomp {
	from := seccomp.DefaultProfile()
	p := specs.LinuxSeccomp{DefaultAction: from.DefaultAction, DefaultErrnoRet: from.DefaultErrnoRet}
	for _, a := range from.ArchMap {
		if a.Arch == specs.ArchX86_64 || a.Arch == specs.ArchAARCH64 {
			p.Architectures = append(p.Architectures, a.Arch)
			p.Architectures = append(p.Architectures, a.SubArches...)
		}
	}
	for _, s := range from.Syscalls {
		if !holds(s) || len(s.Names) == 0 {
			continue
		}
		rule := s.LinuxSyscall
		// A clone without namespaces; our rule below replaces it.
		if slices.Contains(rule.Names, "clone") && len(rule.Args) > 0 {
			continue
		}
		p.Syscalls = append(p.Syscalls, rule)
	}
	// clone3 stays unavailable (ENOSYS, so the C library falls back to clone):
	// its flags are in memory, where seccomp filters cannot read them.
	without := []specs.LinuxSeccompArg{{Index: 0, Value: closed, ValueTwo: 0, Op: specs.OpMaskedEqual}}
	p.Syscalls = append(p.Syscalls,
		specs.LinuxSyscall{Names: []string{"clone", "unshare"}, Action: specs.ActAllow, Args: without},
		specs.LinuxSyscall{Names: []string{"chroot"}, Action: specs.ActAllow})
	return p
}

// holds reports whether a rule applies to a container without capabilities on
// one of our architectures. Every kernel supported by plat has the minimum
// version that rules require (4.8).
func holds(s *seccomp.Syscall) bool {
	if in := s.Includes; in != nil {
		if len(in.Caps) > 0 || len(in.Arches) > 0 && !slices.ContainsFunc(in.Arches, ours) {
			return false
		}
	}
	// A rule excluded on one of our architectures would need separate profiles.
	return s.Excludes == nil || !slices.ContainsFunc(s.Excludes.Arches, ours)
}

func ours(arch string) bool { return slices.Contains(arches, arch) }
