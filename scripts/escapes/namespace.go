package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// insideEnv says that a process is in the network that [again] has made for it.
const insideEnv = "PLAT_TEST_ESCAPES_INSIDE"

// noNetwork is the exit code of a process for which no network of its own can be made.
const noNetwork = 77

// again returns a command that runs this program with args, in a network and with mounts of its
// own. A user other than root becomes root in a user namespace.
func again(args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), insideEnv+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return cmd
}

// The addresses of this machine in its network. Every other address is ours too: packets to it come
// back by loopback, to whatever listens there.
var (
	self4 = netip.MustParseAddr("10.99.0.2")
	self6 = netip.MustParseAddr("fd99::2")
)

// nameServer is a resolver of the public internet, ours here: Chrome knows that it also speaks DNS
// over HTTPS.
var nameServer = netip.MustParseAddr("8.8.8.8")

// searched is the search domain of the resolver, for names that it does not find.
const searched = "corp.test"

// errNoNetwork says that no network can be made here.
var errNoNetwork = errors.New("no network of our own")

// makeNetwork sets up the network of this process: loopback, and an interface that appears to lead
// outside.
func makeNetwork() error {
	if err := mountResolver(); err != nil {
		return fmt.Errorf("%w: %w; run as root, or let users make namespaces", errNoNetwork, err)
	}
	// Enable IPv6 and silence the kernel. If this cannot be written, IPv6 is mostly enabled, and the
	// kernel's messages are recognized.
	for _, file := range []string{"disable_ipv6", "router_solicitations", "accept_dad"} {
		for _, of := range []string{"all", "default"} {
			_ = os.WriteFile(filepath.Join("/proc/sys/net/ipv6/conf", of, file), []byte("0"), 0)
		}
	}
	n, err := openNetlink()
	if err != nil {
		return fmt.Errorf("%w: %w", errNoNetwork, err)
	}
	defer n.close()
	if err := n.set(); err != nil {
		return fmt.Errorf("%w: %w; the kernel needs network namespaces and veth", errNoNetwork, err)
	}
	time.Sleep(settling)
	return nil
}

// settling is the time for which the kernel reports groups of new interfaces to the network.
const settling = 500 * time.Millisecond

// mountResolver makes nameServer the one of this process and of those that it starts.
func mountResolver() error {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to ourselves: %w", err)
	}
	f, err := os.CreateTemp("", "plat-resolv-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // the mount holds it
	if _, err := fmt.Fprintf(f, "nameserver %s\nsearch %s\noptions timeout:1 attempts:1\n", nameServer, searched); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := syscall.Mount(f.Name(), "/etc/resolv.conf", "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount a resolv.conf: %w", err)
	}
	return nil
}

// netlink speaks to the kernel about interfaces, addresses and routes (rtnetlink(7)).
type netlink struct {
	fd  int
	seq uint32
}

func openNetlink() (*netlink, error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink: %w", err)
	}
	return &netlink{fd: fd}, nil
}

func (n *netlink) close() { syscall.Close(n.fd) }

// set makes a pair of interfaces, one for us and one that receives its packets, and routes all
// addresses to this machine.
func (n *netlink) set() error {
	const veth = "veth"
	const vethPeer = 1 // VETH_INFO_PEER of linux/veth.h
	const linkData = 2 // IFLA_INFO_DATA of linux/if_link.h
	const out, far = "esc0", "esc1"
	peer := append(make([]byte, syscall.SizeofIfInfomsg), attr(syscall.IFLA_IFNAME, []byte(far+"\x00"))...)
	link := append(attr(1, []byte(veth)), attr(linkData, attr(vethPeer, peer))...)
	err := n.ask(syscall.RTM_NEWLINK, syscall.NLM_F_CREATE|syscall.NLM_F_EXCL, make([]byte, syscall.SizeofIfInfomsg),
		attr(syscall.IFLA_IFNAME, []byte(out+"\x00")), attr(syscall.IFLA_LINKINFO, link))
	if err != nil {
		return fmt.Errorf("make a pair of interfaces: %w", err)
	}
	_ = os.WriteFile("/proc/sys/net/ipv6/conf/"+far+"/disable_ipv6", []byte("1"), 0) // it only listens
	for _, name := range []string{"lo", far, out} {
		up := make([]byte, syscall.SizeofIfInfomsg)
		binary.NativeEndian.PutUint32(up[8:], syscall.IFF_UP)
		binary.NativeEndian.PutUint32(up[12:], syscall.IFF_UP)
		if err := n.ask(syscall.RTM_NEWLINK, 0, up, attr(syscall.IFLA_IFNAME, []byte(name+"\x00"))); err != nil {
			return fmt.Errorf("bring %s up: %w", name, err)
		}
	}
	const loopback = 1
	for _, a := range []netip.Addr{self4, self6} {
		if err := n.address(out, a); err != nil {
			return fmt.Errorf("give %s the address %s: %w", out, a, err)
		}
		all := netip.PrefixFrom(netip.IPv6Unspecified(), 0)
		if a.Is4() {
			all = netip.PrefixFrom(netip.IPv4Unspecified(), 0)
		}
		if err := n.route(all, loopback, syscall.RTN_LOCAL, a); err != nil {
			return fmt.Errorf("route %s to ourselves: %w", all, err)
		}
	}
	i, err := index(out)
	if err != nil {
		return err
	}
	multicast := netip.MustParsePrefix("224.0.0.0/4") // IPv6 has such a route for each interface
	if err := n.route(multicast, i, syscall.RTN_UNICAST, self4); err != nil {
		return fmt.Errorf("route %s: %w", multicast, err)
	}
	return nil
}

func (n *netlink) address(name string, a netip.Addr) error {
	i, err := index(name)
	if err != nil {
		return err
	}
	const noDAD = 2 // IFA_F_NODAD of linux/if_addr.h: the address is unique without detection
	msg := make([]byte, syscall.SizeofIfAddrmsg)
	msg[0], msg[1], msg[2] = family(a), byte(a.BitLen()), noDAD
	if a.Is4() {
		msg[2] = 0
	}
	binary.NativeEndian.PutUint32(msg[4:], i)
	return n.ask(syscall.RTM_NEWADDR, syscall.NLM_F_CREATE, msg, attr(syscall.IFA_LOCAL, a.AsSlice()), attr(syscall.IFA_ADDRESS, a.AsSlice()))
}

// route sends packets for a network out by an interface, from an address of ours.
func (n *netlink) route(to netip.Prefix, by uint32, kind byte, from netip.Addr) error {
	msg := make([]byte, syscall.SizeofRtMsg)
	msg[0], msg[1] = family(from), byte(to.Bits())
	msg[4], msg[5], msg[6], msg[7] = syscall.RT_TABLE_MAIN, syscall.RTPROT_STATIC, syscall.RT_SCOPE_UNIVERSE, kind
	if kind == syscall.RTN_LOCAL {
		msg[6] = syscall.RT_SCOPE_HOST
	} else {
		msg[6] = syscall.RT_SCOPE_LINK
	}
	attrs := [][]byte{attr(syscall.RTA_OIF, binary.NativeEndian.AppendUint32(nil, by)), attr(syscall.RTA_PREFSRC, from.AsSlice())}
	if to.Bits() > 0 {
		attrs = append(attrs, attr(syscall.RTA_DST, to.Addr().AsSlice()))
	}
	return n.ask(syscall.RTM_NEWROUTE, syscall.NLM_F_CREATE, msg, attrs...)
}

// ask sends a request and waits for the kernel's acknowledgement.
func (n *netlink) ask(kind, flags uint16, msg []byte, attrs ...[]byte) error {
	for _, a := range attrs {
		msg = append(msg, a...)
	}
	n.seq++
	b := make([]byte, syscall.SizeofNlMsghdr, syscall.SizeofNlMsghdr+len(msg))
	binary.NativeEndian.PutUint32(b[0:], uint32(syscall.SizeofNlMsghdr+len(msg)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	binary.NativeEndian.PutUint16(b[6:], flags|syscall.NLM_F_REQUEST|syscall.NLM_F_ACK)
	binary.NativeEndian.PutUint32(b[8:], n.seq)
	if err := syscall.Sendto(n.fd, append(b, msg...), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 8<<10)
	got, _, err := syscall.Recvfrom(n.fd, answer, 0)
	if err != nil {
		return err
	}
	msgs, err := syscall.ParseNetlinkMessage(answer[:got])
	if err != nil {
		return err
	}
	for _, m := range msgs {
		if m.Header.Type == syscall.NLMSG_ERROR && len(m.Data) >= 4 {
			if code := int32(binary.NativeEndian.Uint32(m.Data)); code != 0 {
				return syscall.Errno(-code)
			}
		}
	}
	return nil
}

// attr is an attribute of a message, with its padding.
func attr(kind uint16, value []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	b = append(binary.NativeEndian.AppendUint16(b, kind), value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func family(a netip.Addr) byte {
	if a.Is4() {
		return syscall.AF_INET
	}
	return syscall.AF_INET6
}
