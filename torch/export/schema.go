package export

import (
	"encoding/json"
	"fmt"
	"math"
)

// The types in this file follow the JSON that torch.export writes. Unions are objects with
// one field, whose name says which member it is.

type exportedProgram struct {
	GraphModule      graphModule                `json:"graph_module"`
	RangeConstraints map[string]limits          `json:"range_constraints"`
	SchemaVersion    struct{ Major, Minor int } `json:"schema_version"`
	TorchVersion     string                     `json:"torch_version"`
}

type limits struct {
	Min *int64 `json:"min_val"`
	Max *int64 `json:"max_val"`
}

type graphModule struct {
	Graph       graph     `json:"graph"`
	Signature   signature `json:"signature"`
	ModuleCalls []struct {
		Name      string         `json:"fqn"`
		Signature *callSignature `json:"signature"`
	} `json:"module_call_graph"`
	NamedTuples map[string]struct {
		Fields []string `json:"field_names"`
	} `json:"treespec_namedtuple_fields"`
}

type callSignature struct {
	In       string   `json:"in_spec"`
	Out      string   `json:"out_spec"`
	ArgNames []string `json:"forward_arg_names"`
}

type graph struct {
	Inputs  []union               `json:"inputs"`
	Outputs []union               `json:"outputs"`
	Nodes   []node                `json:"nodes"`
	Tensors map[string]tensorMeta `json:"tensor_values"`
}

type node struct {
	Target   string            `json:"target"`
	Inputs   []namedArgument   `json:"inputs"`
	Outputs  []union           `json:"outputs"`
	Metadata map[string]string `json:"metadata"`
	Name     string            `json:"name"`
}

type namedArgument struct {
	Name string `json:"name"`
	Arg  union  `json:"arg"`
}

type signature struct {
	Inputs  []union `json:"input_specs"`
	Outputs []union `json:"output_specs"`
}

type tensorMeta struct {
	DType        int     `json:"dtype"`
	Sizes        []union `json:"sizes"`
	RequiresGrad bool    `json:"requires_grad"`
	Strides      []union `json:"strides"`
	Offset       union   `json:"storage_offset"`
	Layout       int     `json:"layout"`
}

type payloads struct {
	Config map[string]payload `json:"config"`
}

// payload describes a tensor in the archive.
type payload struct {
	Path      string      `json:"path_name"`
	Parameter bool        `json:"is_param"`
	Pickle    bool        `json:"use_pickle"`
	Meta      *tensorMeta `json:"tensor_meta"`
}

// union is an object with one field.
type union struct {
	kind string
	raw  json.RawMessage
}

// UnmarshalJSON implements [json.Unmarshaler].
func (u *union) UnmarshalJSON(b []byte) error {
	// Unset members of a union may be present as null.
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	for k, v := range all {
		if string(v) == "null" {
			continue
		}
		if u.kind != "" {
			return fmt.Errorf("a union of both %.40q and %.40q", u.kind, k)
		}
		u.kind, u.raw = k, v
	}
	return nil
}

// read decodes the member of a union.
func read[T any](u union) (v T, err error) {
	if u.raw == nil {
		return v, fmt.Errorf("an empty union")
	}
	err = json.Unmarshal(u.raw, &v)
	return v, err
}

// name returns the name in a member such as {"name": "x"}, or "".
func (u union) name() string {
	var v struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(u.raw, &v) != nil {
		return ""
	}
	return v.Name
}

// real is a float. Python writes those that JSON lacks as strings or bare words.
type real float64

// UnmarshalJSON implements [json.Unmarshaler].
func (f *real) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case `"Infinity"`:
		*f = real(math.Inf(1))
	case `"-Infinity"`:
		*f = real(math.Inf(-1))
	case `"NaN"`:
		*f = real(math.NaN())
	default:
		return json.Unmarshal(b, (*float64)(f))
	}
	return nil
}
