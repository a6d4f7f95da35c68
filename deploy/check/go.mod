module plat/deploy/check

go 1.26.0

require (
	github.com/moby/profiles/seccomp v0.2.3 // indirect
	github.com/opencontainers/runtime-spec v1.3.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
