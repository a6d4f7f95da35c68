package snapshotfile

import (
	"bufio"
	"fmt"
	"os"

	"plat/plat"
)

// Open reads the snapshot file at a path. Its errors name the file.
func Open(path string) (*plat.Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	// A snapshot is gzip (RFC 1952): a file with a different beginning is not one.
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return nil, fmt.Errorf("%s is not a snapshot file", path)
	}
	snap, err := Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return snap, nil
}
