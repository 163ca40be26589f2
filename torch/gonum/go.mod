// Matrices of gonum: a module of its own keeps gonum out of the library's go.mod.
module github.com/gotorch/gotorch/torch/gonum

go 1.26

require (
	github.com/gotorch/gotorch v0.0.0-00010101000000-000000000000
	github.com/stretchr/testify v1.12.1
	gonum.org/v1/gonum v0.17.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace github.com/gotorch/gotorch => ../../
