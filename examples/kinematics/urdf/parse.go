package urdf

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The limits for a file. Files of real robots stay far below them.
const (
	maxBytes    = 16 << 20
	maxNesting  = 64   // of elements
	maxElements = 4096 // links, and joints
)

// Parse reads a robot. It returns an *Error for a file that does not describe one. Errors
// from the reader are returned unchanged.
func Parse(r io.Reader) (*Robot, error) {
	p := &parser{input: &io.LimitedReader{R: r, N: maxBytes + 1}}
	p.dec = xml.NewDecoder(p.input)
	robot, err := p.document()
	if err != nil {
		return nil, err
	}
	if err := robot.connect(); err != nil {
		return nil, err
	}
	return robot, nil
}

type parser struct {
	input *io.LimitedReader
	dec   *xml.Decoder
	depth int // number of open elements
}

// element is the start of an element. Errors name the element and its line.
type element struct {
	xml.StartElement
	line int
}

func (e element) String() string {
	if name, ok := e.lookup("name"); ok {
		return fmt.Sprintf("<%s name=%q>", e.Name.Local, name)
	}
	return "<" + e.Name.Local + ">"
}

func (e element) fail(kind error, format string, args ...any) error {
	return &Error{kind, e.line, e.String(), fmt.Sprintf(format, args...)}
}

// document reads the robot element. Only comments may come before and after it.
func (p *parser) document() (*Robot, error) {
	var robot *Robot
	for {
		token, err := p.token()
		if errors.Is(err, io.EOF) && robot != nil {
			return robot, nil
		}
		if errors.Is(err, io.EOF) {
			return nil, &Error{ErrSyntax, 0, "", "the file has no <robot>"}
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := p.element(t)
			if robot != nil || t.Name.Local != "robot" {
				return nil, e.fail(ErrElement, "the file must have a single root element, <robot>")
			}
			if robot, err = p.robot(e); err != nil {
				return nil, err
			}
		case xml.CharData:
			if strings.TrimSpace(strings.TrimPrefix(string(t), "\ufeff")) != "" {
				line, _ := p.dec.InputPos()
				return nil, &Error{ErrSyntax, line, "", "text outside of <robot>"}
			}
		}
	}
}

func (p *parser) robot(e element) (*Robot, error) {
	robot := &Robot{}
	robot.Name, _ = e.lookup("name") // the format requires a name, but nothing here needs it
	err := p.children(e, func(c element) error {
		switch c.Name.Local {
		case "link":
			name, err := c.text("name")
			if err != nil {
				return err
			}
			if len(robot.Links) == maxElements {
				return c.fail(ErrTooLarge, "there are more than %d links", maxElements)
			}
			robot.Links = append(robot.Links, Link{name, c.line})
			return p.skip(c)
		case "joint":
			if len(robot.Joints) == maxElements {
				return c.fail(ErrTooLarge, "there are more than %d joints", maxElements)
			}
			joint, err := p.joint(c)
			robot.Joints = append(robot.Joints, joint)
			return err
		}
		return p.skip(c) // such as materials, transmissions and elements for simulators
	})
	return robot, err
}

// children calls its second argument for every element within e, and reads to the end of
// e. The function that it calls must read its element to the end.
func (p *parser) children(e element, each func(element) error) error {
	for {
		token, err := p.token()
		if err != nil {
			return p.within(e, err)
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if err := each(p.element(t)); err != nil {
				return err
			}
		}
	}
}

// skip reads e to its end.
func (p *parser) skip(e element) error { return p.children(e, p.skip) }

// token returns the next token. It limits how deeply elements are nested, because the
// parser is recursive.
func (p *parser) token() (xml.Token, error) {
	token, err := p.dec.Token()
	line, _ := p.dec.InputPos()
	switch token.(type) {
	case xml.StartElement:
		if p.depth++; p.depth > maxNesting {
			return nil, &Error{ErrTooLarge, line, "", fmt.Sprintf("elements are nested more than %d deep", maxNesting)}
		}
	case xml.EndElement:
		p.depth--
	}
	var syntax *xml.SyntaxError
	switch {
	case p.input.N <= 0:
		return nil, &Error{ErrTooLarge, 0, "", fmt.Sprintf("the file has more than %d bytes", maxBytes)}
	case errors.As(err, &syntax):
		return nil, &Error{ErrSyntax, syntax.Line, "", syntax.Msg}
	case err != nil && strings.HasPrefix(err.Error(), "xml: "): // for example for an encoding other than UTF-8
		return nil, &Error{ErrSyntax, line, "", err.Error()}
	}
	return token, err
}

// within adds the name and line of element e to a syntax error.
func (p *parser) within(e element, err error) error {
	var bad *Error
	if errors.As(err, &bad) && bad.Element == "" && bad.Line > 0 {
		bad.Element = e.String()
	}
	return err
}

func (p *parser) element(t xml.StartElement) element {
	line, _ := p.dec.InputPos()
	return element{t, line}
}

func (e element) lookup(name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value, true
		}
	}
	return "", false
}

// text returns an attribute, or an error if it is missing.
func (e element) text(name string) (string, error) {
	text, ok := e.lookup(name)
	if text = strings.TrimSpace(text); !ok || text == "" {
		return "", e.fail(ErrElement, "the attribute %s is missing", name)
	}
	return text, nil
}

// number sets v to the value of the named attribute. If the attribute is missing, v stays
// unchanged.
func (e element) number(name string, v *float64) error {
	text, ok := e.lookup(name)
	if !ok {
		return nil
	}
	return e.parse(name, strings.TrimSpace(text), v)
}

func (e element) parse(name, text string, v *float64) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return e.fail(ErrValue, "%s=%q is not a finite number", name, text)
	}
	*v = x
	return nil
}

// vector is like number, for an attribute with three numbers.
func (e element) vector(name string, v *[3]float64) error {
	text, ok := e.lookup(name)
	if !ok {
		return nil
	}
	fields := strings.Fields(text)
	if len(fields) != len(v) {
		return e.fail(ErrValue, "%s=%q must be three numbers", name, text)
	}
	for i, f := range fields {
		if err := e.parse(name, f, &v[i]); err != nil {
			return err
		}
	}
	return nil
}
