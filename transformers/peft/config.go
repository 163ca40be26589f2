package peft

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// config is Python's LoraConfig. Its fields have the order of the file.
type config struct {
	AlphaPattern  map[string]float64 `json:"alpha_pattern"`
	BaseModel     *string            `json:"base_model_name_or_path"`
	Bias          string             `json:"bias"`
	Exclude       pattern            `json:"exclude_modules"`
	FanInFanOut   bool               `json:"fan_in_fan_out"`
	InferenceMode bool               `json:"inference_mode"`
	Init          initial            `json:"init_lora_weights"`
	LayersPattern list[string]       `json:"layers_pattern"`
	Layers        list[int]          `json:"layers_to_transform"`
	Alpha         float64            `json:"lora_alpha"`
	LoRABias      bool               `json:"lora_bias"`
	Dropout       float64            `json:"lora_dropout"`
	ModulesToSave []string           `json:"modules_to_save"`
	PeftType      string             `json:"peft_type"`
	Rank          int64              `json:"r"`
	RankPattern   map[string]int64   `json:"rank_pattern"`
	Revision      *string            `json:"revision"`
	Target        pattern            `json:"target_modules"`
	TaskType      *string            `json:"task_type"`
	UseDoRA       bool               `json:"use_dora"`
	UseRSLoRA     bool               `json:"use_rslora"`

	name string
}

// pattern is a list of names or a regular expression.
type pattern struct {
	names  []string
	regexp *string
}

func (p pattern) isEmpty() bool { return p.regexp == nil && len(p.names) == 0 }

func (p pattern) MarshalJSON() ([]byte, error) {
	if p.regexp != nil {
		return json.Marshal(*p.regexp)
	}
	return json.Marshal(p.names) // nil is null
}

func (p *pattern) UnmarshalJSON(b []byte) error {
	*p = pattern{}
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &p.regexp)
	}
	return json.Unmarshal(b, &p.names)
}

// list is a list, or a single element in a file.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] == '[' || string(b) == "null" {
		return json.Unmarshal(b, (*[]T)(l))
	}
	var one T
	err := json.Unmarshal(b, &one)
	*l = list[T]{one}
	return err
}

// initial is a word, or true or false in a file.
type initial string

func (w initial) MarshalJSON() ([]byte, error) {
	if InitWeights(w) == InitWeightsTrue || InitWeights(w) == InitWeightsFalse {
		return []byte(w), nil
	}
	return json.Marshal(string(w))
}

func (w *initial) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(w))
	}
	var on bool
	err := json.Unmarshal(b, &on)
	*w = initial(fmt.Sprint(on))
	return err
}

func defaults() config {
	return config{
		name: "default", Rank: 8, Alpha: 8, Bias: string(BiasNone), Init: initial(InitWeightsTrue), PeftType: "LORA",
		RankPattern: map[string]int64{}, AlphaPattern: map[string]float64{},
	}
}

// readAddOptions returns the configuration of the options.
func readAddOptions(op string, opts []AddOption) config {
	c := defaults()
	for _, o := range opts {
		switch o := o.(type) {
		case Name:
			c.name = string(o)
		case Rank:
			c.Rank = int64(o)
		case Alpha:
			c.Alpha = float64(o)
		case Dropout:
			c.Dropout = float64(o)
		case UseRSLoRA:
			c.UseRSLoRA = bool(o)
		case UseDoRA:
			c.UseDoRA = bool(o)
		case LoRABias:
			c.LoRABias = bool(o)
		case Bias:
			c.Bias = string(o)
		case InitWeights:
			c.Init = initial(o)
		case TaskType:
			c.TaskType = new(string(o))
		case LayersToTransform:
			c.Layers = list[int](slices.Clone(o))
		case patternOption:
			c.LayersPattern = slices.Clone(o.names)
		case RankPattern:
			c.RankPattern = cloned(o)
		case AlphaPattern:
			c.AlphaPattern = cloned(o)
		case TargetRegexp:
			c.Target = pattern{regexp: new(string(o))}
		case targetOption:
			c.Target = pattern{names: slices.Clone(o.names)}
		case ExcludeRegexp:
			c.Exclude = pattern{regexp: new(string(o))}
		case excludeOption:
			c.Exclude = pattern{names: slices.Clone(o.names)}
		case saveOption:
			c.ModulesToSave = slices.Clone(o.names)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return c
}

// cloned returns a copy of m, which is not nil.
func cloned[V any](m map[string]V) map[string]V {
	out := map[string]V{}
	maps.Copy(out, m)
	return out
}

// check reports the first field that is wrong.
func (c *config) check() error {
	wrong := func(field, format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", torch.ErrValue, field, fmt.Sprintf(format, args...))
	}
	switch {
	case c.name == "" || strings.Contains(c.name, ".") || strings.Contains(c.name, "lora_"):
		return wrong("name", "%q is empty, or contains a dot or lora_", c.name)
	case c.Rank < 1:
		return wrong("r", "expected a positive number, got %d", c.Rank)
	case math.IsNaN(c.Alpha) || math.IsInf(c.Alpha, 0):
		return wrong("lora_alpha", "expected a finite number, got %v", c.Alpha)
	case !(c.Dropout >= 0 && c.Dropout <= 1):
		return wrong("lora_dropout", "expected a probability, got %v", c.Dropout)
	case !slices.Contains([]Bias{BiasNone, BiasAll, BiasLoRAOnly}, Bias(c.Bias)):
		return wrong("bias", "expected none, all or lora_only, got %q", c.Bias)
	case c.Target.isEmpty():
		return wrong("target_modules", "expected the names of layers")
	case c.Target.regexp != nil && (c.Layers != nil || c.LayersPattern != nil):
		return wrong("layers_to_transform", "it needs a list of names in target_modules")
	case len(c.LayersPattern) > 0 && c.Layers == nil:
		return wrong("layers_pattern", "it needs layers_to_transform")
	case c.LoRABias && InitWeights(c.Init) != InitWeightsTrue && InitWeights(c.Init) != InitWeightsFalse:
		return wrong("lora_bias", "it needs init_lora_weights true or false")
	case c.LoRABias && c.UseDoRA:
		return wrong("lora_bias", "it cannot be combined with use_dora")
	}
	for p, r := range c.RankPattern {
		if r < 1 {
			return wrong("rank_pattern", "expected a positive number for %q, got %d", p, r)
		}
	}
	return nil
}

// isKnownInit reports whether new weights can be initialized as the configuration says.
func (c *config) isKnownInit() bool {
	return slices.Contains([]InitWeights{InitWeightsTrue, InitWeightsFalse, InitWeightsGaussian}, InitWeights(c.Init))
}

// extensions are fields of the file for methods that this package does not have. Their
// values must be null, false, 0 or empty.
var extensions = []string{
	"alora_invocation_tokens", "arrow_config", "ensure_weight_tying", "kasa_config", "layer_replication",
	"megatron_config", "monteclora_config", "target_parameters", "trainable_token_indices", "use_bdlora", "use_qalora",
	"velora_config",
}

// parseConfig reads adapter_config.json.
func parseConfig(b []byte) (config, error) {
	c := defaults()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return c, fmt.Errorf("%w: %w", torch.ErrFormat, err)
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return c, fmt.Errorf("%w: %w", torch.ErrFormat, err)
	}
	if c.PeftType != "LORA" {
		return c, fmt.Errorf("%w: peft_type %q; only LORA is supported", torch.ErrUnsupported, c.PeftType)
	}
	for _, name := range extensions {
		if v := string(all[name]); !slices.Contains([]string{"", "null", "false", "0", "[]", "{}"}, v) {
			return c, fmt.Errorf("%w: %s", torch.ErrUnsupported, name)
		}
	}
	// Others change the model's weights when the adapter is added.
	if !c.isKnownInit() && c.Init != "orthogonal" && c.Init != "eva" {
		return c, fmt.Errorf("%w: init_lora_weights %q", torch.ErrUnsupported, c.Init)
	}
	c.RankPattern, c.AlphaPattern = cloned(c.RankPattern), cloned(c.AlphaPattern)
	return c, c.check()
}

// bytes returns adapter_config.json. An adapter that is loaded is not trained unless the
// program asks for it, so the file has inference_mode, as Python's.
func (c config) bytes() ([]byte, error) {
	c.InferenceMode = true
	b, err := json.MarshalIndent(c, "", "  ")
	return append(b, '\n'), err
}
