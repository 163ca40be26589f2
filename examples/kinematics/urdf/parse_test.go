package urdf_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
)

func TestParse(t *testing.T) {
	r, err := urdf.Parse(strings.NewReader(`<?xml version="1.0"?>
<robot name="r">
  <gazebo><joint name="not a joint"/></gazebo>
  <link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <joint name="x" type="prismatic">
    <parent link="a"/><child link="b"/><origin xyz="1 2 3" rpy="0.1 0 -1e-1"/>
    <axis xyz="0 3 4"/><limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="1"/>
  </joint>
  <link name="b"/><link name="c"/>
  <joint name="y" type="revolute"><child link="c"/><parent link="b"/><mimic joint="x" multiplier="-2"/></joint>
</robot>`))
	require.NoError(t, err)
	assert.Equal(t, &urdf.Robot{
		Name: "r", Root: "a",
		Links: []urdf.Link{{"a", 4}, {"b", 9}, {"c", 9}},
		Joints: []urdf.Joint{
			{
				Name: "x", Type: urdf.Prismatic, Parent: "a", Child: "b", Line: 5, Axis: [3]float64{0, 0.6, 0.8},
				Origin: urdf.Pose{XYZ: [3]float64{1, 2, 3}, RPY: [3]float64{0.1, 0, -0.1}},
				Limit:  &urdf.Limit{-1, 2, 4, 3},
			},
			{
				Name: "y", Type: urdf.Revolute, Parent: "b", Child: "c", Line: 10, Axis: [3]float64{1, 0, 0},
				Mimic: &urdf.Mimic{"x", -2, 0},
			},
		},
	}, r)
	assert.True(t, r.Joints[0].Moves())
	assert.False(t, r.Joints[1].Moves())
}

// joint returns a URDF file with two links and one joint. The joint has the given
// attributes and content.
func joint(attributes, within string) string {
	return `<robot name="r"><link name="a"/><link name="b"/>` + "\n" +
		`<joint ` + attributes + `>` + within + `</joint></robot>`
}

func TestBadInputs(t *testing.T) {
	const good, ends = `name="j" type="revolute"`, `<parent link="a"/><child link="b"/>`
	for name, c := range map[string]struct {
		text    string
		kind    error
		message string
	}{
		"empty":             {"", urdf.ErrSyntax, "no <robot>"},
		"no XML":            {"hello", urdf.ErrSyntax, "line 1: "},
		"cut short":         {"<robot name=\"r\">\n<link", urdf.ErrSyntax, `line 2: <robot name="r">: `},
		"wrong end":         {"<robot>\n<link name=\"a\"></joint></robot>", urdf.ErrSyntax, "line 2: "},
		"text after it":     {"<robot><link name=\"a\"/></robot>\nx", urdf.ErrSyntax, "text outside"},
		"two robots":        {"<robot><link name=\"a\"/></robot><robot/>", urdf.ErrElement, "single root"},
		"another format":    {"<sdf/>", urdf.ErrElement, "line 1: <sdf>: "},
		"another encoding":  {`<?xml version="1.0" encoding="latin1"?><robot/>`, urdf.ErrSyntax, "latin1"},
		"no links":          {"<robot/>", urdf.ErrStructure, "no links"},
		"link without name": {"<robot>\n\n<link/></robot>", urdf.ErrElement, "line 3: <link>: "},
		"link twice": {
			"<robot><link name=\"a\"/>\n<link name=\"a\"/></robot>", urdf.ErrStructure,
			`line 2: <link name="a">: `,
		},
		"nested deep": {"<robot>" + strings.Repeat("<a>", 1_000_000), urdf.ErrTooLarge, "64 deep"},
		"many links":  {"<robot>" + strings.Repeat(`<link name="a"/>`, 5000), urdf.ErrTooLarge, "4096 links"},
		"many bytes":  {"<robot>" + strings.Repeat(" ", 17<<20), urdf.ErrTooLarge, "bytes"},
		"a long name": {`<robot name="` + strings.Repeat("x", 17<<20), urdf.ErrTooLarge, "bytes"},
		"two roots":   {"<robot><link name=\"a\"/>\n<link name=\"b\"/></robot>", urdf.ErrStructure, "line 2"},
		"joint twice": {
			joint(good,
				ends+"</joint><link name=\"c\"/><joint "+good+`><parent link="b"/><child link="c"/>`),
			urdf.ErrStructure,
			"duplicate joint name",
		},
		"no type": {
			joint(`name="j"`, ends), urdf.ErrElement,
			`line 2: <joint name="j">: not a URDF element: the attribute type is missing`,
		},
		"no name":        {joint(`type="fixed"`, ends), urdf.ErrElement, "attribute name"},
		"empty name":     {joint(`type="fixed" name=" "`, ends), urdf.ErrElement, "attribute name"},
		"unknown type":   {joint(`name="j" type="ball"`, ends), urdf.ErrValue, `"ball"`},
		"floating":       {joint(`name="j" type="floating"`, ends), urdf.ErrUnsupported, "floating"},
		"planar":         {joint(`name="j" type="planar"`, ends), urdf.ErrUnsupported, "planar"},
		"no parent":      {joint(good, `<child link="b"/>`), urdf.ErrElement, "<parent> is missing"},
		"no child":       {joint(good, `<parent link="b"/>`), urdf.ErrElement, "<child> is missing"},
		"parent unnamed": {joint(good, `<parent/><child link="b"/>`), urdf.ErrElement, "<parent>: "},
		"parent twice":   {joint(good, ends+`<parent link="a"/>`), urdf.ErrElement, "duplicate <parent>"},
		"missing link":   {joint(good, `<parent link="a"/><child link="z"/>`), urdf.ErrStructure, `no link "z"`},
		"its own parent": {joint(good, `<parent link="b"/><child link="b"/>`), urdf.ErrStructure, "cycle"},
		"two parents": {
			joint(good, ends+`</joint><joint name="k" type="fixed">`+ends), urdf.ErrStructure,
			`already the child of joint "j"`,
		},
		"a cycle": {
			joint(good,
				ends+`</joint><joint name="k" type="fixed"><parent link="b"/><child link="a"/>`), urdf.ErrStructure,
			"cycle",
		},
		"a cycle beside": {
			joint(good,
				ends+`</joint><link name="c"/><joint name="k" type="fixed"><parent link="c"/><child link="c"/>`),
			urdf.ErrStructure, "cycle",
		},
		"NaN": {
			joint(good, ends+`<origin xyz="0 NaN 0"/>`), urdf.ErrValue,
			`line 2: <origin>: bad value: xyz="NaN" is not a finite number`,
		},
		"infinite":       {joint(good, ends+`<origin rpy="inf 0 0"/>`), urdf.ErrValue, "finite"},
		"beyond float64": {joint(good, ends+`<origin rpy="1e999 0 0"/>`), urdf.ErrValue, "finite"},
		"two numbers":    {joint(good, ends+`<origin xyz="0 0"/>`), urdf.ErrValue, "three"},
		"no numbers":     {joint(good, ends+`<axis xyz="up"/>`), urdf.ErrValue, "three"},
		"no axis":        {joint(good, ends+`<axis xyz="0 0 0"/>`), urdf.ErrValue, "length 0"},
		"limits crossed": {
			joint(good, ends+`<limit lower="2" upper="1"/>`), urdf.ErrValue,
			"lower 2 is above upper 1",
		},
		"limit no number": {joint(good, ends+`<limit lower="a"/>`), urdf.ErrValue, `lower="a"`},
		"mimics nobody":   {joint(good, ends+`<mimic joint="k"/>`), urdf.ErrStructure, `"k", which does not exist`},
		"mimics unnamed":  {joint(good, ends+`<mimic/>`), urdf.ErrElement, "attribute joint"},
		"mimics itself":   {joint(good, ends+`<mimic joint="j"/>`), urdf.ErrStructure, "does not move by itself"},
	} {
		_, err := urdf.Parse(strings.NewReader(c.text))
		var bad *urdf.Error
		require.ErrorAs(t, err, &bad, name)
		assert.ErrorIs(t, err, c.kind, "%s: %v", name, err)
		assert.ErrorContains(t, err, c.message, name)
	}
}

// An error from the reader is returned unchanged, wherever it occurs.
func TestBrokenReader(t *testing.T) {
	broken := errors.New("the disk is gone")
	text := joint(`name="j" type="fixed"`, `<parent link="a"/><child link="b"/>`)
	for n := range len(text) {
		_, err := urdf.Parse(
			iotest.DataErrReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text[:n])))))
		require.Error(t, err)
	}
	_, err := urdf.Parse(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

// Parsing the longest possible chain is fast, even if the file lists its links in reverse
// order.
func TestLongChain(t *testing.T) {
	var text strings.Builder
	text.WriteString("<robot>")
	const n = 4096
	for i := range n {
		fmt.Fprintf(&text, "<link name=\"%d\"/>", n-1-i)
		if i > 0 {
			fmt.Fprintf(&text, `<joint name="%d" type="fixed"><parent link="%d"/><child link="%d"/></joint>`, i, i-1, i)
		}
	}
	text.WriteString("</robot>")
	r, err := urdf.Parse(strings.NewReader(text.String()))
	require.NoError(t, err)
	assert.Equal(t, "0", r.Root)
}

// If Parse returns no error, the robot is a tree: each link except the root is the child of
// exactly one joint.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "robots", "*.urdf"))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add(joint(`name="j" type="prismatic"`,
		`<parent link="a"/><child link="b"/><limit upper="1"/><axis xyz="5e-324 5e-324 5e-324"/>`))
	f.Fuzz(func(t *testing.T, text string) {
		r, err := urdf.Parse(strings.NewReader(text))
		if err != nil {
			var bad *urdf.Error
			require.ErrorAs(t, err, &bad)
			return
		}
		children := map[string]bool{}
		for _, j := range r.Joints {
			require.False(t, children[j.Child])
			children[j.Child] = true
			require.InDelta(t, 1, j.Axis[0]*j.Axis[0]+j.Axis[1]*j.Axis[1]+j.Axis[2]*j.Axis[2], 1e-9)
		}
		require.False(t, children[r.Root])
		require.Len(t, children, len(r.Links)-1)
	})
}
