// Command ferretdb is a MongoDB server for tests: FerretDB over SQLite, on a free port. It
// prints its URI and exits when its standard input is closed, so it cannot outlive the test
// that started it. With -dir and -listen data and address are persistent, so that it can be
// killed and restarted. The lines "deny write", "deny all" and "deny nothing" on standard input
// revoke and restore permissions. With the variables MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_PASSWORD of MongoDB's
// image it has that user, and wants a login.
//
// FerretDB 1.24 reads the document of an update and then writes it, so concurrent
// updates may interleave; MongoDB updates atomically, and plat relies on it. So write
// commands are serialized: see proxy.go.
//
// This is a separate module, to keep its dependencies out of plat. Those that both have are of the same versions, so
// that they are compiled once.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	// FerretDB creates much garbage for little live data, and would spend half its time in
	// garbage collection.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(512 << 20)
	runtime.MemProfileRate = 0
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ferretdb:", err)
		os.Exit(1)
	}
}

func run() error {
	data := flag.String("dir", "", "folder for the data (default: a new one, removed at the end)")
	listen := flag.String("listen", "127.0.0.1:0", "address to listen at")
	flag.Parse()
	dir, err := os.MkdirTemp("", "plat-ferretdb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "socket")
	if *data == "" {
		*data = dir
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: socket},
		Handler:   "sqlite",
		SQLiteURL: "file:" + *data + "/?_pragma=synchronous(off)", // test data need not survive a power failure
		Logger:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	server.MongoDBURI() // waits for the listener
	front, err := net.Listen("tcp", *listen)
	if err != nil {
		stop()
		return errors.Join(err, <-done)
	}
	all, err := newUsers(os.Getenv("MONGO_INITDB_ROOT_USERNAME"), os.Getenv("MONGO_INITDB_ROOT_PASSWORD"))
	if err != nil {
		front.Close()
		stop()
		return errors.Join(err, <-done)
	}
	p := &proxy{dial: func() (net.Conn, error) { return net.Dial("unix", socket) }, index: indexer{dir: *data}, users: all}
	defer p.index.forget()
	go p.serve(front)
	fmt.Printf("mongodb://%s/\n", front.Addr())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if err := p.deny(in.Text()); err != nil {
			fmt.Fprintln(os.Stderr, "ferretdb:", err)
		}
	}
	front.Close()
	stop()
	return errors.Join(err, <-done)
}
