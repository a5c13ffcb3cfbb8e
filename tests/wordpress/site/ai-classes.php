<?php

/** The classes of the provider, by the base classes that WordPress has for chat completions. */

declare(strict_types=1);

namespace ToolwireTests;

use WordPress\AiClient\Messages\Enums\ModalityEnum;
use WordPress\AiClient\Providers\ApiBasedImplementation\AbstractApiProvider;
use WordPress\AiClient\Providers\ApiBasedImplementation\ListModelsApiBasedProviderAvailability;
use WordPress\AiClient\Providers\Contracts\ModelMetadataDirectoryInterface;
use WordPress\AiClient\Providers\Contracts\ProviderAvailabilityInterface;
use WordPress\AiClient\Providers\DTO\ProviderMetadata;
use WordPress\AiClient\Providers\Enums\ProviderTypeEnum;
use WordPress\AiClient\Providers\Http\DTO\Request;
use WordPress\AiClient\Providers\Http\DTO\Response;
use WordPress\AiClient\Providers\Http\Enums\HttpMethodEnum;
use WordPress\AiClient\Providers\Http\Enums\RequestAuthenticationMethod;
use WordPress\AiClient\Providers\Models\Contracts\ModelInterface;
use WordPress\AiClient\Providers\Models\DTO\ModelMetadata;
use WordPress\AiClient\Providers\Models\DTO\SupportedOption;
use WordPress\AiClient\Providers\Models\Enums\CapabilityEnum;
use WordPress\AiClient\Providers\Models\Enums\OptionEnum;
use WordPress\AiClient\Providers\OpenAiCompatibleImplementation\AbstractOpenAiCompatibleModelMetadataDirectory;
use WordPress\AiClient\Providers\OpenAiCompatibleImplementation\AbstractOpenAiCompatibleTextGenerationModel;

final class AiProvider extends AbstractApiProvider
{
    protected static function baseUrl(): string
    {
        return (string) get_option('test_ai_provider');
    }

    protected static function createModel(ModelMetadata $model, ProviderMetadata $provider): ModelInterface
    {
        return new AiModel($model, $provider);
    }

    protected static function createProviderMetadata(): ProviderMetadata
    {
        $key = RequestAuthenticationMethod::apiKey();
        return new ProviderMetadata('tests', 'Provider of the Tests', ProviderTypeEnum::cloud(), null, $key);
    }

    protected static function createProviderAvailability(): ProviderAvailabilityInterface
    {
        return new ListModelsApiBasedProviderAvailability(self::modelMetadataDirectory());
    }

    protected static function createModelMetadataDirectory(): ModelMetadataDirectoryInterface
    {
        return new AiModels();
    }
}

final class AiModel extends AbstractOpenAiCompatibleTextGenerationModel
{
    protected function createRequest(
        HttpMethodEnum $method,
        string $path,
        array $headers = [],
        $data = null
    ): Request {
        return new Request($method, AiProvider::url($path), $headers, $data, $this->getRequestOptions());
    }
}

/** The models of the server: those that it says take tools, those that write no text. */
final class AiModels extends AbstractOpenAiCompatibleModelMetadataDirectory
{
    protected function createRequest(
        HttpMethodEnum $method,
        string $path,
        array $headers = [],
        $data = null
    ): Request {
        return new Request($method, AiProvider::url($path), $headers, $data);
    }

    protected function parseResponseToModelMetadataList(Response $response): array
    {
        $text = [ModalityEnum::text()];
        $options = [
            new SupportedOption(OptionEnum::systemInstruction()),
            new SupportedOption(OptionEnum::inputModalities(), [$text]),
            new SupportedOption(OptionEnum::outputModalities(), [$text]),
        ];
        $models = [];
        foreach ($response->getData()['data'] as $model) {
            $writes = [CapabilityEnum::textGeneration(), CapabilityEnum::chatHistory()];
            $models[] = new ModelMetadata(
                $model['id'],
                $model['id'],
                $model['writes'] ? $writes : [CapabilityEnum::imageGeneration()],
                $model['tools']
                    ? [...$options, new SupportedOption(OptionEnum::functionDeclarations())]
                    : $options
            );
        }
        return $models;
    }
}
