// Profile writes the seccomp profile of plat's containers, from the one that
// Docker gives every container:
//
//	go run ./profile >../seccomp.json
//
// Chrome locks its renderers into user, PID and network namespaces of their own
// and into an empty root. Docker's profile denies that to who has no
// CAP_SYS_ADMIN, for which reason most images start Chrome with --no-sandbox:
// this one allows it, and no more.
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

// closed are the namespaces that stay out of reach: Chrome does without them,
// and a mount namespace would open much of the kernel to who has a user
// namespace.
const closed = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWCGROUP

// arches are the processors that images are built for.
var arches = []string{"amd64", "arm64"}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "\t")
	if err := out.Encode(profile()); err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(1)
	}
}

// profile is Docker's profile as it stands for a container without capabilities,
// with Chrome's sandbox allowed. All conditions are resolved: containerd takes a
// profile of Kubernetes as the runtime's specification has it, without Docker's
// "includes" and "excludes", and would allow everything that has one.
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
		// A clone that makes no namespace; ours below says more.
		if slices.Contains(rule.Names, "clone") && len(rule.Args) > 0 {
			continue
		}
		p.Syscalls = append(p.Syscalls, rule)
	}
	// clone3 stays unknown (ENOSYS, then the C library takes clone): its flags are
	// in memory, where no filter sees them.
	without := []specs.LinuxSeccompArg{{Index: 0, Value: closed, ValueTwo: 0, Op: specs.OpMaskedEqual}}
	p.Syscalls = append(p.Syscalls,
		specs.LinuxSyscall{Names: []string{"clone", "unshare"}, Action: specs.ActAllow, Args: without},
		specs.LinuxSyscall{Names: []string{"chroot"}, Action: specs.ActAllow})
	return p
}

// holds reports whether a rule is for a container without capabilities on one of
// our processors. Every kernel that plat runs on has what rules ask of it (4.8).
func holds(s *seccomp.Syscall) bool {
	if in := s.Includes; in != nil {
		if len(in.Caps) > 0 || len(in.Arches) > 0 && !slices.ContainsFunc(in.Arches, ours) {
			return false
		}
	}
	// What is excluded on one of ours would have to be written by processor.
	return s.Excludes == nil || !slices.ContainsFunc(s.Excludes.Arches, ours)
}

func ours(arch string) bool { return slices.Contains(arches, arch) }
