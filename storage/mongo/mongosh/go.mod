module plat/storage/mongo/mongosh

go 1.26.0

require github.com/dop251/goja v0.0.0-20260917113740-793a2a65c13b

require (
	github.com/dlclark/regexp2/v2 v2.5.2 // indirect
	github.com/go-sourcemap/sourcemap v2.1.3+incompatible // indirect
	github.com/google/pprof v0.0.0-20240409012703-83162a5b38cd // indirect
	golang.org/x/text v0.3.8 // indirect
)
