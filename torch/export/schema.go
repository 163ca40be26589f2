package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// The types in this file follow the JSON that torch.export writes. Unions are objects with
// one field, whose name says which member it is.

type exportedProgram struct {
	GraphModule      graphModule       `json:"graph_module"`
	OpsetVersion     map[string]int    `json:"opset_version"`
	RangeConstraints map[string]limits `json:"range_constraints"`
	SchemaVersion    schemaVersion     `json:"schema_version"`
	Verifiers        []string          `json:"verifiers"`
	TorchVersion     string            `json:"torch_version"`
}

type schemaVersion struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

type limits struct {
	Min *int64 `json:"min_val"`
	Max *int64 `json:"max_val"`
}

type graphModule struct {
	Graph       graph                 `json:"graph"`
	Signature   signature             `json:"signature"`
	ModuleCalls []moduleCall          `json:"module_call_graph"`
	Metadata    map[string]string     `json:"metadata"`
	NamedTuples map[string]namedTuple `json:"treespec_namedtuple_fields"`
}

type namedTuple struct {
	Fields []string `json:"field_names"`
}

type moduleCall struct {
	Name      string         `json:"fqn"`
	Signature *callSignature `json:"signature"`
}

type callSignature struct {
	Inputs   []union  `json:"inputs"`
	Outputs  []union  `json:"outputs"`
	In       string   `json:"in_spec"`
	Out      string   `json:"out_spec"`
	ArgNames []string `json:"forward_arg_names"`
}

type graph struct {
	Inputs  []union               `json:"inputs"`
	Outputs []union               `json:"outputs"`
	Nodes   []node                `json:"nodes"`
	Tensors map[string]tensorMeta `json:"tensor_values"`
	Ints    map[string]union      `json:"sym_int_values"`
	Bools   map[string]union      `json:"sym_bool_values"`
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
	Kind int    `json:"kind"` // 1 for a positional argument, 2 for a keyword argument
}

type signature struct {
	Inputs  []union `json:"input_specs"`
	Outputs []union `json:"output_specs"`
}

type tensorMeta struct {
	DType        int     `json:"dtype"`
	Sizes        []union `json:"sizes"`
	RequiresGrad bool    `json:"requires_grad"`
	Device       device  `json:"device"`
	Strides      []union `json:"strides"`
	Offset       union   `json:"storage_offset"`
	Layout       int     `json:"layout"`
}

type device struct {
	Type  string `json:"type"`
	Index *int   `json:"index"`
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

// MarshalJSON implements [json.Marshaler].
func (u union) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]json.RawMessage{u.kind: u.raw})
}

// member returns a union with the given member.
func member(kind string, v any) union {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // impossible: v is made of strings, numbers, lists and unions
	}
	return union{kind, raw}
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

// decimal is a float. Python writes those that JSON lacks as strings or bare words.
type decimal float64

// MarshalJSON implements [json.Marshaler]. Python tells 1.0 from 1.
func (f decimal) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte(`"NaN"`), nil
	case math.IsInf(v, 0):
		return []byte(map[bool]string{true: `"Infinity"`, false: `"-Infinity"`}[v > 0]), nil
	default:
		text := strconv.AppendFloat(nil, v, 'g', -1, 64)
		if !bytes.ContainsAny(text, ".e") {
			text = append(text, ".0"...)
		}
		return text, nil
	}
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *decimal) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case `"Infinity"`:
		*f = decimal(math.Inf(1))
	case `"-Infinity"`:
		*f = decimal(math.Inf(-1))
	case `"NaN"`:
		*f = decimal(math.NaN())
	default:
		return json.Unmarshal(b, (*float64)(f))
	}
	return nil
}
