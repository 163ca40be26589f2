// The vet companion. A module of its own keeps golang.org/x/tools out of the
// library's go.mod.
module github.com/gotorch/gotorch/vet

go 1.26.0

require golang.org/x/tools v0.52.0

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
