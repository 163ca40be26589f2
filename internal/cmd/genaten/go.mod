module github.com/gotorch/gotorch/internal/cmd/genaten

go 1.26

require (
	github.com/goccy/go-yaml v1.19.2
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
