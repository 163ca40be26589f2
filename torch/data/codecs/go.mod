// Decoders that need libraries: a module of its own keeps these out of the library's
// go.mod.
module github.com/gotorch/gotorch/torch/data/codecs

go 1.26

require (
	github.com/chai2010/webp v1.4.0
	github.com/gotorch/gotorch v0.0.0-00010101000000-000000000000
	github.com/klauspost/compress v1.20.3
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace github.com/gotorch/gotorch => ../../../
