package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/bpf"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// index is the number of an interface.
func index(name string) (uint32, error) {
	i, err := net.InterfaceByName(name)
	if err != nil {
		return 0, err
	}
	return uint32(i.Index), nil
}

// packet is the first of an exchange: a datagram, the first packet of a TCP connection, the
// joining of a multicast group.
type packet struct {
	proto    string // tcp, udp, igmp, or the number of the protocol
	src, dst netip.AddrPort
	names    []string // in the questions or answers of a DNS datagram
}

// capture sees all packets of this network.
type capture struct {
	fd      int
	f       *os.File
	answers map[[2]netip.AddrPort]bool // datagrams that answer one that was seen
	done    chan struct{}
}

// startCapture calls see for each packet, until stop is called.
func startCapture(see func(packet)) (*capture, error) {
	const all = 0x0003 // ETH_P_ALL of linux/if_ether.h
	protocol := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, all))
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, int(protocol))
	if err != nil {
		return nil, fmt.Errorf("%w: capture packets: %w", errNoNetwork, err)
	}
	// No packet may be lost; stop checks that.
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, 256<<20); err != nil {
		_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, 256<<20)
	}
	if err := onlyBeginnings(fd); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	c := &capture{fd: fd, f: os.NewFile(uintptr(fd), "packets"), answers: map[[2]netip.AddrPort]bool{}, done: make(chan struct{})}
	raw, err := c.f.SyscallConn()
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(c.done)
		buf := make([]byte, snapLength)
		for {
			var n int
			var failed error
			err := raw.Read(func(uintptr) bool {
				n, _, failed = syscall.Recvfrom(fd, buf, 0)
				return failed != syscall.EAGAIN
			})
			if err != nil {
				return // closed
			}
			if failed == nil {
				c.parse(buf[:n], see)
			}
		}
	}()
	return c, nil
}

// onlyBeginnings has the kernel filter the packets for [capture.parse]: of TCP the first packet of a
// connection, and each packet only as it leaves. (Loopback shows it as it arrives, too.)
func onlyBeginnings(fd int) error {
	const tcp, flags, syn, ack = syscall.IPPROTO_TCP, 13, 2, 16
	program, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtType},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: syscall.PACKET_OUTGOING, SkipTrue: 17}, // to the end
		bpf.LoadAbsolute{Off: 0, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf0},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0x60, SkipTrue: 8},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x40, SkipTrue: 13},
		bpf.LoadAbsolute{Off: 9, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tcp, SkipTrue: 10}, // kept
		bpf.LoadAbsolute{Off: 6, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: 0x1fff, SkipTrue: 9}, // a later fragment
		bpf.LoadMemShift{Off: 0},
		bpf.LoadIndirect{Off: flags, Size: 1},
		bpf.Jump{Skip: 3},
		bpf.LoadAbsolute{Off: 6, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tcp, SkipTrue: 3}, // kept
		bpf.LoadAbsolute{Off: 40 + flags, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: syn | ack},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: syn, SkipTrue: 1},
		bpf.RetConstant{Val: snapLength},
		bpf.RetConstant{Val: 0},
	})
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(program))
	for i, in := range program {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	err = unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]})
	if err != nil {
		return fmt.Errorf("filter the capture: %w", err)
	}
	return nil
}

// snapLength is a header, or a whole message of DNS.
const snapLength = 4 << 10

// stop ends the capture. It is an error if packets were lost.
func (c *capture) stop() error {
	stats, err := unix.GetsockoptTpacketStats(c.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	c.f.Close()
	<-c.done
	if err != nil {
		return fmt.Errorf("count the packets that were not seen: %w", err)
	}
	if stats.Drops > 0 {
		return fmt.Errorf("%d packets were not seen; run this on a machine with less to do", stats.Drops)
	}
	return nil
}

// parse reads an IP packet.
func (c *capture) parse(b []byte, see func(packet)) {
	var src, dst netip.Addr
	var proto byte
	switch {
	case len(b) >= 20 && b[0]>>4 == 4:
		head := int(b[0]&15) * 4
		src, dst, proto = netip.AddrFrom4([4]byte(b[12:])), netip.AddrFrom4([4]byte(b[16:])), b[9]
		if binary.BigEndian.Uint16(b[6:])&0x1fff != 0 || len(b) < head {
			return // a later fragment
		}
		b = b[head:]
	case len(b) >= 40 && b[0]>>4 == 6:
		src, dst, proto = netip.AddrFrom16([16]byte(b[8:])), netip.AddrFrom16([16]byte(b[24:])), b[6]
		b = b[40:]
		if proto == 0 && len(b) >= 8 && len(b) >= int(b[1])*8+8 { // hop-by-hop options
			proto, b = b[0], b[int(b[1])*8+8:]
		}
	default:
		return // ARP
	}
	if len(b) < 8 {
		return
	}
	p := packet{src: netip.AddrPortFrom(src, binary.BigEndian.Uint16(b)), dst: netip.AddrPortFrom(dst, binary.BigEndian.Uint16(b[2:]))}
	switch proto {
	case syscall.IPPROTO_TCP:
		const syn, ack = 2, 16
		if len(b) < 20 || b[13]&(syn|ack) != syn {
			return
		}
		p.proto = "tcp"
	case syscall.IPPROTO_UDP:
		if c.answers[[2]netip.AddrPort{p.src, p.dst}] {
			return
		}
		c.answers[[2]netip.AddrPort{p.dst, p.src}] = true
		p.proto, p.names = "udp", dnsNames(p.dst.Port(), b[8:])
	case syscall.IPPROTO_IGMP, syscall.IPPROTO_ICMPV6, syscall.IPPROTO_ICMP:
		for _, g := range groups(proto, b) {
			see(packet{proto: "join", src: netip.AddrPortFrom(src, 0), dst: netip.AddrPortFrom(g, 0)})
		}
		if !echo(proto, b[0]) {
			return // errors and the talk of neighbours, which are the kernel's
		}
		p.proto, p.src, p.dst = "icmp", netip.AddrPortFrom(src, 0), netip.AddrPortFrom(dst, 0)
	default:
		p.proto, p.src, p.dst = "protocol "+strconv.Itoa(int(proto)), netip.AddrPortFrom(src, 0), netip.AddrPortFrom(dst, 0)
	}
	see(p)
}

// echo reports whether a program, not the kernel, sends such a message of ICMP.
func echo(proto, kind byte) bool {
	return proto == syscall.IPPROTO_ICMP && kind == 8 || proto == syscall.IPPROTO_ICMPV6 && kind == 128
}

// groups are the multicast groups that a report (RFC 3376, RFC 3810) joins, except those that
// every machine is in.
func groups(proto byte, b []byte) (all []netip.Addr) {
	size, report := 4, byte(0x22)
	switch {
	case proto == syscall.IPPROTO_ICMPV6:
		size, report = 16, 143
	case proto != syscall.IPPROTO_IGMP:
		return nil
	}
	if b[0] != report {
		return nil
	}
	const include, toInclude, block = 1, 3, 6
	for n := binary.BigEndian.Uint16(b[6:]); n > 0 && len(b) >= 8+4+size; n-- {
		record := b[8:]
		sources := binary.BigEndian.Uint16(record[2:])
		group, _ := netip.AddrFromSlice(record[4 : 4+size])
		leaves := (record[0] == include || record[0] == toInclude || record[0] == block) && sources == 0
		if !leaves && !everyone(group) {
			all = append(all, group)
		}
		b = b[min(len(b)-8, 4+size+int(sources)*size+int(record[1])*4):]
	}
	return all
}

var solicited = netip.MustParsePrefix("ff02::1:ff00:0/104")

// everyone reports whether the kernel joins a group without a program.
func everyone(group netip.Addr) bool {
	return group == netip.MustParseAddr("224.0.0.1") || group.IsInterfaceLocalMulticast() || group == netip.IPv6LinkLocalAllNodes() || solicited.Contains(group)
}

// dnsNames are the names in a message of DNS or multicast DNS.
func dnsNames(port uint16, b []byte) (names []string) {
	if port != 53 && port != 5353 {
		return nil
	}
	add := func(n dnsmessage.Name) {
		name := strings.ToLower(strings.TrimSuffix(n.String(), "."))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var p dnsmessage.Parser
	if _, err := p.Start(b); err != nil {
		return nil
	}
	questions, err := p.AllQuestions()
	if err != nil {
		return nil
	}
	for _, q := range questions {
		add(q.Name)
	}
	for {
		h, err := p.AnswerHeader()
		if err != nil {
			return names
		}
		add(h.Name)
		if p.SkipAnswer() != nil {
			return names
		}
	}
}

// An owner is whose socket sent something.
type owner int

const (
	gone   owner = iota // the socket is not there any more
	others              // Chrome's, then
	ours
)

// ownerOf returns the owner of the socket at a local address. The kernel's lists are not consistent, so
// it reads them three times before it concludes that a socket is not ours.
func ownerOf(proto string, at netip.AddrPort) (of owner, err error) {
	for range 3 {
		if of, err = lookUpOwner(proto, at); err != nil || of == ours {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return of, err
}

func lookUpOwner(proto string, at netip.AddrPort) (owner, error) {
	inode, err := socketAt(proto, func(local netip.AddrPort, _ int) bool {
		return local.Port() == at.Port() && (local.Addr() == at.Addr() || local.Addr().IsUnspecified())
	})
	if err != nil || inode == "" || inode == "0" {
		return gone, err
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return gone, err
	}
	for _, f := range files {
		if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && to == "socket:["+inode+"]" {
			return ours, nil
		}
	}
	return others, nil
}

// listensAt reports whether a program listens at exactly an address.
func listensAt(at netip.AddrPort) (bool, error) {
	const listening = 10 // TCP_LISTEN
	inode, err := socketAt("tcp", func(local netip.AddrPort, state int) bool { return state == listening && local == at })
	return inode != "", err
}

// socketAt returns the inode of the first socket that fits; empty if absent.
func socketAt(proto string, fits func(local netip.AddrPort, state int) bool) (inode string, err error) {
	for _, table := range []string{proto, proto + "6"} {
		f, err := os.Open("/proc/self/net/" + table)
		if errors.Is(err, os.ErrNotExist) {
			continue // no IPv6 here, or no such protocol
		}
		if err != nil {
			return "", err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 {
				continue
			}
			local, err := parseKernelAddr(fields[1])
			state, badState := strconv.ParseInt(fields[3], 16, 32)
			if err == nil && badState == nil && fits(local, int(state)) {
				return fields[9], nil
			}
		}
		if err := lines.Err(); err != nil {
			return "", err
		}
	}
	return "", nil
}

// parseKernelAddr reads an address as /proc/net writes it: words in the machine's order, in
// hexadecimal.
func parseKernelAddr(s string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(s, ":")
	b, err := hex.DecodeString(host)
	if err != nil {
		return netip.AddrPort{}, err
	}
	for i := 0; i+4 <= len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	a, ok := netip.AddrFromSlice(b)
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil || !ok {
		return netip.AddrPort{}, fmt.Errorf("%q is no address", s)
	}
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), nil
}
