package peft

// An AddOption is an option of [Add] and [Adapters.Add]: a field of Python's LoraConfig.
//
//gotorch:options Name Rank Alpha Dropout UseRSLoRA UseDoRA LoRABias Bias InitWeights TaskType
//gotorch:options LayersToTransform RankPattern AlphaPattern TargetRegexp ExcludeRegexp
//gotorch:options targetOption excludeOption saveOption patternOption
type AddOption interface{ addOption() }

// A LoadOption is an option of [Load] and [Adapters.Load]: [Name] or [IsTrainable].
//
//gotorch:options Name IsTrainable
type LoadOption interface{ loadOption() }

// Name is the name of an adapter, by default "default". It must not contain a dot.
type Name string

// IsTrainable says whether a loaded adapter is trained further. The default is false: the
// adapter is frozen, and the model is put into evaluation mode.
type IsTrainable bool

// Rank is the rank of the update of each weight, by default 8. Follows r.
type Rank int64

// Alpha divided by the rank scales the updates. The default is 8. Follows lora_alpha.
type Alpha float64

// Dropout is the probability with which the input of an adapter is dropped, by default 0.
// Follows lora_dropout.
type Dropout float64

// UseRSLoRA says whether Alpha is divided by the square root of the rank instead of the
// rank. The default is false. Follows use_rslora.
type UseRSLoRA bool

// UseDoRA says whether the magnitudes of the weights are trained too. It applies to linear
// layers. The default is false. Follows use_dora.
type UseDoRA bool

// LoRABias says whether the second matrix of an adapter has a bias. The default is false.
// Follows lora_bias.
type LoRABias bool

// Bias says which biases of the model are trained and saved. The default is BiasNone.
type Bias string

// Values of [Bias].
const (
	BiasNone     Bias = "none"
	BiasAll      Bias = "all"
	BiasLoRAOnly Bias = "lora_only" // those of the layers that have adapters
)

// InitWeights says how new adapters are initialized. Follows init_lora_weights.
type InitWeights string

// Values of [InitWeights]. With all but InitWeightsFalse, a new adapter changes nothing until
// it is trained.
const (
	InitWeightsTrue     InitWeights = "true"     // the first matrix as in nn.Linear, the second with zeros; the default
	InitWeightsFalse    InitWeights = "false"    // both as in nn.Linear
	InitWeightsGaussian InitWeights = "gaussian" // the first from a normal distribution, the second with zeros
)

// TaskType is written to the configuration file: "CAUSAL_LM" for language models. By default
// it is null.
type TaskType string

// LayersToTransform are the numbers of the layers that get adapters. By default all do. It
// applies to the names of [TargetModules]. Follows layers_to_transform.
type LayersToTransform []int

// RankPattern has ranks for layers whose names match a regular expression, or end with it
// after a dot. If several match, the first in alphabetical order counts. Follows
// rank_pattern.
type RankPattern map[string]int64

// AlphaPattern has values of Alpha for layers; see [RankPattern]. Follows alpha_pattern.
type AlphaPattern map[string]float64

// TargetRegexp is a regular expression that matches the whole names of the layers that get
// adapters. Python's syntax without lookarounds and backreferences is supported. Follows
// target_modules with a string.
type TargetRegexp string

// ExcludeRegexp is a regular expression that matches the whole names of layers that get no
// adapters. Follows exclude_modules with a string.
type ExcludeRegexp string

type (
	targetOption  struct{ names []string }
	excludeOption struct{ names []string }
	saveOption    struct{ names []string }
	patternOption struct{ names []string }
)

// AllLinear as the only name of [TargetModules] stands for all linear layers but the one
// that computes logits.
const AllLinear = "all-linear"

// TargetModules are the names of the layers that get adapters, or the ends of their paths:
// "q_proj" matches "layers.0.self_attn.q_proj". Follows target_modules with a list.
func TargetModules(names ...string) AddOption { return targetOption{names} }

// ExcludeModules are the names of layers that get no adapters, or the ends of their paths.
// Follows exclude_modules with a list.
func ExcludeModules(names ...string) AddOption { return excludeOption{names} }

// ModulesToSave are the names of modules that are copied, trained as a whole and saved with
// the adapter, or the last characters of their paths. Follows modules_to_save.
func ModulesToSave(names ...string) AddOption { return saveOption{names} }

// LayersPattern are the names of the lists of layers whose numbers [LayersToTransform] has,
// such as "h". By default a layer's number is the first number in its path. Follows
// layers_pattern.
func LayersPattern(names ...string) AddOption { return patternOption{names} }
