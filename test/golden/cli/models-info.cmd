genrun models info famc-video-effects
genrun models info fama-imagine-video-1.5
genrun models info famc-v4
