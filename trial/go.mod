module github.com/orthd/orth/trial

go 1.26.0
