println "a script, not a class"
