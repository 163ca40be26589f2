// Decoders that need libraries: a module of its own keeps these out of the library's
// go.mod.
module github.com/gotorch/gotorch/torch/data/codecs

go 1.26

require (
	github.com/chai2010/webp v1.4.0
	github.com/gotorch/gotorch v0.0.0
	github.com/klauspost/compress v1.20.3
	github.com/stretchr/testify v1.11.1
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/gotorch/gotorch => ../../../
