package tokenizers

// An EncodeOption changes how Encode, EncodePair and EncodeBatch encode text.
type EncodeOption interface{ encodeOption() }

// AddSpecialTokens says whether the post-processor adds its tokens, such as CLS. The
// default is true.
type AddSpecialTokens bool

// MaxLength truncates encodings to so many tokens, with special tokens. Without it, the
// settings of the file apply.
type MaxLength int

// Truncation says whether to truncate at all. Truncation(false) ignores the file's settings.
type Truncation bool

// A Side is an end of an encoding.
type Side string

// The sides.
const (
	SideLeft  Side = "left"
	SideRight Side = "right"
)

// TruncationSide is the end that truncation removes. The default is the file's, and else
// SideRight.
type TruncationSide Side

// A TruncationStrategy says which texts of a pair truncation shortens.
type TruncationStrategy string

// The strategies of truncation.
const (
	TruncationStrategyLongestFirst TruncationStrategy = "longest_first"
	TruncationStrategyOnlyFirst    TruncationStrategy = "only_first"
	TruncationStrategyOnlySecond   TruncationStrategy = "only_second"
)

// A Padding says to which length encodings are padded.
type Padding string

// The lengths that Padding pads to.
const (
	// PaddingNone does not pad, whatever the file says.
	PaddingNone Padding = "do_not_pad"
	// PaddingLongest pads to the longest encoding of the batch.
	PaddingLongest Padding = "longest"
	// PaddingMaxLength pads to the length that MaxLength sets.
	PaddingMaxLength Padding = "max_length"
)

// PadToMultipleOf rounds the length of padded encodings up.
type PadToMultipleOf int

// PadToken is the token to pad with. The default is the file's.
type PadToken string

// PaddingSide is the end that is padded. The default is the file's, and else SideRight.
type PaddingSide Side

func (AddSpecialTokens) encodeOption()   {}
func (MaxLength) encodeOption()          {}
func (Truncation) encodeOption()         {}
func (TruncationSide) encodeOption()     {}
func (TruncationStrategy) encodeOption() {}
func (Padding) encodeOption()            {}
func (PadToMultipleOf) encodeOption()    {}
func (PadToken) encodeOption()           {}
func (PaddingSide) encodeOption()        {}

// settings are the options of a call.
type settings struct {
	special bool
	trunc   *truncation
	pad     *padding
}

// maxPadding is the greatest length of padded encodings.
const maxPadding = 1 << 20

func (t *Tokenizer) settings(opts []EncodeOption) (*settings, error) {
	s := &settings{special: true}
	trunc := truncation{strategy: TruncationStrategyLongestFirst}
	cut := t.trunc != nil
	if cut {
		trunc = *t.trunc
	}
	pad := padding{token: "[PAD]"}
	mode := PaddingNone
	token := ""
	if t.pad != nil {
		pad, mode = *t.pad, "file"
	}
	maxLength := -1
	for _, o := range opts {
		switch o := o.(type) {
		case AddSpecialTokens:
			s.special = bool(o)
		case MaxLength:
			if o < 0 {
				return nil, fail(ErrValue, "MaxLength", "%d is negative", o)
			}
			cut, trunc.max, maxLength = true, int(o), int(o)
		case Truncation:
			cut = bool(o)
			if cut && t.trunc == nil && maxLength < 0 {
				return nil, fail(ErrValue, "Truncation", "neither the file nor an option before it sets a length")
			}
		case TruncationSide:
			if o != TruncationSide(SideLeft) && o != TruncationSide(SideRight) {
				return nil, fail(ErrValue, "TruncationSide", "%q is unknown", string(o))
			}
			trunc.left = o == TruncationSide(SideLeft)
		case TruncationStrategy:
			switch o {
			case TruncationStrategyLongestFirst, TruncationStrategyOnlyFirst, TruncationStrategyOnlySecond:
			default:
				return nil, fail(ErrValue, "TruncationStrategy", "%q is unknown", string(o))
			}
			trunc.strategy = o
		case Padding:
			if o != PaddingNone && o != PaddingLongest && o != PaddingMaxLength {
				return nil, fail(ErrValue, "Padding", "%q is unknown", string(o))
			}
			mode = o
		case PadToMultipleOf:
			if o < 1 || o > maxPadding {
				return nil, fail(ErrValue, "PadToMultipleOf", "%d is not between 1 and %d", o, maxPadding)
			}
			pad.multiple = int(o)
		case PadToken:
			token = string(o)
		case PaddingSide:
			if o != PaddingSide(SideLeft) && o != PaddingSide(SideRight) {
				return nil, fail(ErrValue, "PaddingSide", "%q is unknown", string(o))
			}
			pad.left = o == PaddingSide(SideLeft)
		default:
			return nil, fail(ErrValue, "EncodeOption", "nil, or a type that embeds an option")
		}
	}
	if cut {
		s.trunc = &trunc
	}
	if mode == PaddingNone {
		return s, nil
	}
	s.pad = &pad
	return s, t.choosePadding(s.pad, mode, token, maxLength)
}

func (t *Tokenizer) choosePadding(pad *padding, mode Padding, token string, maxLength int) error {
	switch mode {
	case PaddingLongest:
		pad.fixed = -1
	case PaddingMaxLength:
		if maxLength < 0 || maxLength > maxPadding {
			return fail(ErrValue, "Padding", "PaddingMaxLength needs MaxLength, of at most %d", maxPadding)
		}
		pad.fixed = maxLength
	}
	if token == "" && t.pad != nil {
		return nil
	}
	if token == "" {
		token = pad.token
	}
	id, ok := t.TokenToID(token)
	if !ok {
		return fail(ErrValue, "PadToken", "the token %q is not in the vocabulary", token)
	}
	pad.token, pad.id = token, id
	return nil
}

// A DecodeOption changes how Decode and NewDecodeStream decode tokens.
type DecodeOption interface{ decodeOption() }

// SkipSpecialTokens says whether special tokens are left out of the text. The default is true.
type SkipSpecialTokens bool

func (SkipSpecialTokens) decodeOption() {}

func skipSpecial(opts []DecodeOption) (bool, error) {
	skip := true
	for _, o := range opts {
		s, ok := o.(SkipSpecialTokens)
		if !ok {
			return false, fail(ErrValue, "DecodeOption", "nil, or a type that embeds an option")
		}
		skip = bool(s)
	}
	return skip, nil
}
