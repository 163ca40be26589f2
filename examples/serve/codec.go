package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-json"
)

// errBody is the kind of all errors about an invalid request body.
var errBody = errors.New("body")

const binaryType = "application/octet-stream"

type input struct {
	Input []float32 `json:"input"`
}

type output struct {
	Output []float32 `json:"output"`
}

// decode reads the numbers of a request, from JSON or as little-endian float32s.
func decode(body []byte, isBinary bool) ([]float32, error) {
	if isBinary {
		if len(body)%4 != 0 {
			return nil, fmt.Errorf("%w: expected float32s, 4 bytes each, got %d bytes", errBody, len(body))
		}
		x := make([]float32, len(body)/4)
		_, err := binary.Decode(body, binary.LittleEndian, x)
		return x, err
	}
	var in input
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf(`%w: expected {"input": [numbers]}%s`, errBody, place(err))
	}
	if in.Input == nil {
		return nil, fmt.Errorf(`%w: expected {"input": [numbers]}, got no input`, errBody)
	}
	if bytes.Contains(body, []byte("null")) { // encoding/json would read null as 0
		var all struct{ Input []*float32 }
		if err := json.Unmarshal(body, &all); err != nil || slices.Contains(all.Input, nil) {
			return nil, fmt.Errorf(`%w: expected {"input": [numbers]}, got null for a number`, errBody)
		}
	}
	return in.Input, nil
}

// place returns the position in the JSON text at which an error occurred. The error's own
// text is not shown to clients, because it quotes the request.
func place(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf(", got something else before byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf(", got something else before byte %d", kind.Offset)
	}
	return ""
}

// encode writes the numbers of a response in the format of the request. JSON cannot
// represent NaN and infinity, so encode returns an error for these in JSON.
func encode(body *bytes.Buffer, y []float32, isBinary bool) error {
	if isBinary {
		text, err := binary.Append(body.AvailableBuffer(), binary.LittleEndian, y)
		body.Write(text)
		return err
	}
	text, err := json.Marshal(output{y})
	body.Write(text)
	return err
}
