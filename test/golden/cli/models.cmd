genrun models
genrun models famb
genrun models fama tts
genrun models --json teapot
genrun models famd
genrun models speech
