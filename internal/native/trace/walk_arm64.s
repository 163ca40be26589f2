#include "textflag.h"

// func walk(buf *uintptr, most int, gp uintptr) int
//
// As on amd64. Go keeps the frame pointer in R29, which points to the caller's,
// and the return address lies above that.
TEXT ·walk(SB), NOSPLIT, $0-32
	MOVD buf+0(FP), R0
	MOVD most+8(FP), R8
	MOVD gp+16(FP), R1
	MOVD 0(R1), R2      // lowest address
	MOVD 8(R1), R3      // highest
	SUB  $16, R3
	MOVD R29, R4
	MOVD ZR, R5
next:
	CMP  R2, R4
	BLO  outside
	CMP  R3, R4
	BHI  outside
	MOVD 8(R4), R6      // return address
	MOVD R6, (R0)(R5<<3)
	ADD  $1, R5
	CMP  R8, R5
	BEQ  done
	MOVD 0(R4), R7      // the caller's frame
	CBZ  R7, done
	CMP  R4, R7
	BLS  outside
	MOVD R7, R4
	B    next
outside:
	MOVD $-1, R5
done:
	MOVD R5, ret+24(FP)
	RET
