package browser

import (
	"errors"
	"os"
	"syscall"
)

// follow counts the kernel's messages about new and removed interfaces and addresses, until stop
// is called.
func (n *interfaces) follow() (stop func(), err error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, syscall.NETLINK_ROUTE)
	if err != nil {
		return nil, err
	}
	const groups = 1<<(syscall.RTNLGRP_LINK-1) | 1<<(syscall.RTNLGRP_IPV4_IFADDR-1) | 1<<(syscall.RTNLGRP_IPV6_IFADDR-1)
	if err := syscall.Bind(fd, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK, Groups: groups}); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "netlink") // the runtime waits for it
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 64<<10)
		for {
			// Too many messages at once are an error here (ENOBUFS), and a change.
			if _, err := f.Read(buf); errors.Is(err, os.ErrClosed) {
				return
			}
			n.changed()
		}
	}()
	return func() { f.Close(); <-done }, nil
}
