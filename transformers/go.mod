// Language models and their tools: a module of its own, as transformers is a package of its own.
module github.com/gotorch/gotorch/transformers

go 1.26.0

require (
	github.com/gotorch/gotorch v0.0.0-00010101000000-000000000000
	github.com/rivo/uniseg v0.4.7
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace github.com/gotorch/gotorch => ../
