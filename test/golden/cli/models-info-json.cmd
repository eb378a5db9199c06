genrun models info fama-tts --json
