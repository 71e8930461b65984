package sbf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math/bits"
)

// Fields of a program's header.
const (
	machine = 247 // BPF
	version = 3   // of SBPF
)

// program lays the parts out as the machine loads them: constants first, if there are any, and code right behind.
func program(constants, code []byte, start uint64) []byte {
	const header, segment = 64, 56
	var segments []elf.Prog64
	add := func(flags elf.ProgFlag, at uint64, data []byte) {
		size := uint64(len(data))
		segments = append(segments, elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(flags), Vaddr: at, Paddr: at, Filesz: size, Memsz: size, Align: 8})
	}
	if len(constants) > 0 {
		add(elf.PF_R, constantsAt, constants)
	}
	add(elf.PF_X, codeAt, code)
	offset := uint64(header + segment*len(segments))
	for i := range segments {
		segments[i].Off = offset
		offset += segments[i].Filesz
	}
	head := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: machine, Version: uint32(elf.EV_CURRENT), Entry: codeAt + start, Phoff: header, Flags: version,
		Ehsize: header, Phentsize: segment, Phnum: uint16(len(segments)),
	}
	var out bytes.Buffer
	for _, part := range []any{head, segments} {
		if err := binary.Write(&out, binary.LittleEndian, part); err != nil {
			panic(err) // of a fixed size, into memory
		}
	}
	out.Write(constants)
	out.Write(code)
	return out.Bytes()
}

// murmur3 is the hash by which a call of the system is named: MurmurHash3 of 32 bits with the seed 0.
func murmur3(data []byte) uint32 {
	const first, second = 0xcc9e2d51, 0x1b873593
	var hash uint32
	length := uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		hash ^= bits.RotateLeft32(binary.LittleEndian.Uint32(data)*first, 15) * second
		hash = bits.RotateLeft32(hash, 13)*5 + 0xe6546b64
	}
	if len(data) > 0 {
		var last [4]byte
		copy(last[:], data)
		hash ^= bits.RotateLeft32(binary.LittleEndian.Uint32(last[:])*first, 15) * second
	}
	hash ^= length
	hash = (hash ^ hash>>16) * 0x85ebca6b
	hash = (hash ^ hash>>13) * 0xc2b2ae35
	return hash ^ hash>>16
}
