expect(true)
return lesson {}
