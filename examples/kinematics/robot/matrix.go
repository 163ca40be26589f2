package robot

import (
	"math"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
)

// matrix is a homogeneous matrix from a robot's description. It is always float64, even if
// the chain is float32.
type matrix [4][4]float64

var identity = matrix{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}

func (a matrix) mul(b matrix) (c matrix) {
	for i := range c {
		for j := range c[i] {
			for k := range b {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

// transposed returns the transpose of a. For a rotation, this is the inverse.
func (a matrix) transposed() (c matrix) {
	for i := range a {
		for j := range a[i] {
			c[j][i] = a[i][j]
		}
	}
	return c
}

// pose returns the matrix of a pose: rotations about x, y and z, then a translation.
func pose(p urdf.Pose) matrix {
	sx, cx := math.Sincos(p.RPY[0])
	sy, cy := math.Sincos(p.RPY[1])
	sz, cz := math.Sincos(p.RPY[2])
	return matrix{
		{cy * cz, sx*sy*cz - cx*sz, cx*sy*cz + sx*sz, p.XYZ[0]},
		{cy * sz, sx*sy*sz + cx*cz, cx*sy*sz - sx*cz, p.XYZ[1]},
		{-sy, sx * cy, cx * cy, p.XYZ[2]},
		{0, 0, 0, 1},
	}
}

// motion is the matrix of a joint as a function of its position q: [0] + q [1] + cos(q)
// [2] + sin(q) [3]. So the matrices of all joints for a whole batch are one matrix
// product.
type motion [4]matrix

// motionOf returns the motion of a joint. For joints that turn it uses Rodrigues's
// formula.
func motionOf(j *urdf.Joint) (m motion) {
	k := j.Axis
	m[0] = identity
	switch j.Type {
	case urdf.Fixed:
	case urdf.Prismatic:
		for i := range k {
			m[1][i][3] = k[i]
		}
	default:
		m[3] = matrix{{0, -k[2], k[1]}, {k[2], 0, -k[0]}, {-k[1], k[0], 0}}
		for i := range k {
			for l := range k {
				m[0][i][l] = k[i] * k[l]
				m[2][i][l] = identity[i][l] - k[i]*k[l]
			}
		}
	}
	return m
}

// between returns the motion with each of its matrices multiplied by a on the left and by b
// on the right.
func (m motion) between(a, b matrix) motion {
	for i := range m {
		m[i] = a.mul(m[i]).mul(b)
	}
	return m
}

// upright returns a rotation that turns the z axis to k.
func upright(k [3]float64) matrix {
	x := [3]float64{1, 0, 0} // the axis among x and y that is further from k
	if math.Abs(k[1]) < math.Abs(k[0]) {
		x = [3]float64{0, 1, 0}
	}
	y := cross(k, x)
	length := math.Sqrt(y[0]*y[0] + y[1]*y[1] + y[2]*y[2])
	for i := range y {
		y[i] /= length
	}
	x = cross(y, k)
	return matrix{{x[0], y[0], k[0]}, {x[1], y[1], k[1]}, {x[2], y[2], k[2]}, {0, 0, 0, 1}}
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
