genrun schema famc-t2a
genrun schema famc-t2
